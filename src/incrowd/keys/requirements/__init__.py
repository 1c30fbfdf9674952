"""Requirements: the privacy models a release must satisfy. Each says which classes fail, and by how much.

A requirement looks at classes only: their sizes and the histogram of one sensitive variable. Equality passes (a class
of exactly k people satisfies k), except in the models that are strict by definition: recursive l, delta-disclosure.
"""

from incrowd.keys.requirements.base import MODELS, Requirement, Standing, failing_any
from incrowd.keys.requirements.conditions import ClassTest, is_met, refuse_unmet, where_name
from incrowd.keys.requirements.crowd import DeltaPresence, K, KMap, WeakK
from incrowd.keys.requirements.diversity import DistinctL, EntropyL, RecursiveL
from incrowd.keys.requirements.figures import histogram_of
from incrowd.keys.requirements.frequency import AlphaK, OneSided
from incrowd.keys.requirements.likeness import (
    BetaLikeness,
    DeltaDisclosure,
    EnhancedBeta,
    Likeness,
    TCloseness,
)
from incrowd.keys.requirements.parse import forms, model_names, parse_model
from incrowd.keys.requirements.reference import Reference

__all__ = [
    "MODELS",
    "AlphaK",
    "BetaLikeness",
    "ClassTest",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctL",
    "EnhancedBeta",
    "EntropyL",
    "K",
    "KMap",
    "Likeness",
    "OneSided",
    "RecursiveL",
    "Reference",
    "Requirement",
    "Standing",
    "TCloseness",
    "WeakK",
    "failing_any",
    "forms",
    "histogram_of",
    "is_met",
    "model_names",
    "parse_model",
    "refuse_unmet",
    "where_name",
]
