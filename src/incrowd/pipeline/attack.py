"""Let simulated intruders try what the gate let pass. Their limits are part of its verdict."""

from __future__ import annotations

from dataclasses import dataclass

from incrowd.attack.on_run import attack_run
from incrowd.attack.value import Attacked
from incrowd.pipeline.gate import Judged
from incrowd.protect import require_in_memory


@dataclass(frozen=True, kw_only=True)
class AttackedFile(Judged):
    """The written file after the attacks of the plan: with their verdicts, and their refusal where one fails."""

    attacks_tried: tuple[Attacked, ...]


def attack_written(judged: Judged) -> AttackedFile:
    """Try the attacks of the plan on the written file, unless it must stay anyway, or they are tried elsewhere."""
    if not judged.attacks or not judged.plan.attacks or judged.refusal is not None or judged.traced is None:
        return AttackedFile(**vars(judged), attacks_tried=())
    judged.progress("attacks on the written file")
    start, state = (require_in_memory(each, "an attack") for each in (judged.start, judged.state))
    found = attack_run(judged.plan, judged.context, start, state, judged.traced, judged.others)
    so_far = {**vars(judged), "verdicts": (*judged.verdicts, *found.verdicts), "refusal": found.refusal}
    return AttackedFile(**so_far, attacks_tried=found.attacks)
