"""Where the reference data lies, beside the repository; tests that need it skip when it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="../shared with the reference data is not here")
