"""Which file? A path on this machine, or an upload that stays in a private folder."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import streamlit as st

from incrowd.rows import Rows, open_source
from incrowd.rows.formats import ENDINGS


def choose_file() -> Path | None:
    """Ask for a file. An upload is written to a folder that only its owner may read, which ends with the session."""
    given: str = st.text_input("File on this machine", key="path", placeholder="postcodes.csv")
    sent = st.file_uploader("or upload one", type=[".gz", *ENDINGS], key="upload")
    if sent is not None:
        if "folder" not in st.session_state:
            st.session_state.folder = tempfile.TemporaryDirectory(prefix="incrowd-")
        path = Path(st.session_state.folder.name, sent.file_id, Path(sent.name).name)
        if not path.exists():
            path.parent.mkdir(mode=0o700)
            path.write_bytes(sent.getbuffer())
        return path
    return Path(given).expanduser() if given.strip() else None


def opened(path: Path) -> Rows:
    """The file, opened once for as long as it does not change."""
    mark = (str(path), path.stat().st_mtime_ns if path.exists() else 0)
    with engine():
        if st.session_state.get("mark") != mark:
            st.session_state.rows = open_source(path)
            st.session_state.mark = mark
            st.session_state.counted = {}
    rows: Rows = st.session_state.rows
    return rows


def engine() -> threading.Lock:
    """To be held while the engine works: a page that is drawn anew must wait for the answer that the last one asked."""
    if "engine" not in st.session_state:
        st.session_state.engine = threading.Lock()
    lock: threading.Lock = st.session_state.engine
    return lock
