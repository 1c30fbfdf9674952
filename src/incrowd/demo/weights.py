"""How are people spread over the keys? The weights of the model; a row need not add up to 100.

The shapes follow the 2021 census of England and Wales roughly. The size of the rarer categories and the
strength of the dependences are calibrated, so that a file of 100,000 people has about as many classes and
uniques, before and after each recoding, as the file of the study we imitate: from 97,358 classes, 95,426 of
them uniques, at the start, to 9,911 and 2,561 after six recodings. tests/demo/test_demo.py holds it to that.
"""

from __future__ import annotations

YOUNGEST, OLDEST = 16, 95
# (age, weight): straight lines between.
AGES = ((16, 72), (25, 78), (35, 82), (45, 78), (55, 82), (65, 68), (75, 55), (85, 25), (95, 5))

GENDERS = ("Female", "Male")
GENDER = (51, 49)

MARITAL = ("never married", "married", "divorced", "widowed")
# From this age on: never married, married, divorced, widowed; per thousand.
MARITAL_BY_AGE = {
    16: (999, 0.8, 0.1, 0.1),
    20: (996, 3, 0.3, 0.1),
    25: (962, 36, 1.6, 0.2),
    30: (746, 245, 8, 0.4),
    35: (445, 528, 26, 1),
    40: (306, 642, 50, 2),
    45: (220, 690, 86, 4),
    50: (168, 707, 118, 7),
    55: (122, 720, 144, 14),
    60: (73, 741, 148, 38),
    65: (41, 754, 130, 75),
    70: (25, 711, 101, 163),
    75: (17, 597, 65, 321),
    80: (13, 410, 36, 541),
    85: (10, 225, 20, 745),
    90: (10, 130, 15, 845),
}
# Husbands are older and die younger; divorced men marry again sooner.
MARITAL_BY_GENDER = ((1, 1, 1.1, 1.2), (1, 1, 0.9, 0.8))

# No child, 1, 2, ... 9 children, for a married person of about forty.
CHILDREN = (30, 17.5, 18, 15.5, 6.6, 5.4, 3.9, 1.9, 0.9, 0.4)
# How much each of the first three children is likelier: by age, times by marital status.
CHILDREN_BY_AGE = {16: 0.12, 20: 0.33, 25: 0.58, 30: 0.8, 35: 1, 40: 1.1, 50: 1.15, 70: 1.2}
CHILDREN_BY_MARITAL = (0.8, 1, 0.97, 1)

QUALIFICATIONS = (
    "No qualifications",
    "Level 1",
    "Level 2",
    "Level 3",
    "Apprenticeship",
    "BA",
    "Postgraduate",
)
QUALIFICATIONS_BY_AGE = {
    16: (67, 183, 273, 283, 123, 70, 1),
    22: (29, 118, 141, 177, 118, 410, 7),
    30: (30, 119, 130, 126, 118, 464, 13),
    45: (56, 152, 156, 120, 148, 360, 8),
    60: (118, 140, 133, 92, 233, 279, 5),
    75: (280, 91, 93, 52, 305, 177, 2),
}
# How much a qualification gains (or loses, below 0) where the region has many graduates.
GRADUATE = (-0.6, -0.6, -0.4, -0.1, -0.5, 0.6, 1)
GRADUATE_BY_REGION = (-0.17, -0.07, -0.1, -0.12, -0.12, 0, 0.37, 0.1, 0.02, -0.04)

OCCUPATIONS = (
    "1 Managers, directors and senior officials",
    "2 Professional",
    "3 Associate professional and technical",
    "4 Administrative and secretarial",
    "5 Skilled trades",
    "6 Caring, leisure and other service",
    "7 Sales and customer service",
    "8 Process, plant and machine operatives",
    "9 Elementary",
    "10 No occupation",
)
# 1, 2, 3, 4 or 5, 6 or 7, 8 or 9, 10: by qualification, in the order above.
OCCUPATION_BY_QUALIFICATION = (
    (33, 9, 29, 110, 178, 415, 226),
    (48, 13, 44, 143, 222, 373, 157),
    (56, 18, 68, 177, 242, 297, 142),
    (75, 34, 104, 177, 234, 234, 142),
    (67, 29, 87, 278, 148, 265, 126),
    (141, 184, 190, 131, 126, 107, 121),
    (180, 288, 192, 94, 71, 51, 124),
)
# How much likelier no occupation is: studies first, a pension at the end.
NO_OCCUPATION_BY_AGE = {16: 1.45, 20: 1.15, 25: 0.85, 50: 0.9, 60: 1.2, 66: 2, 75: 2.7}
# Of 4 and 5, 6 and 7, 8 and 9: the share of the first, for women and men. Gender decides within these pairs
# only: were women likelier to be, say, managers, they would differ in schooling and so in pay there, and
# the file is to have its gap in pay in the one pair where it was put (see money.py).
FIRST_OF_PAIR = ((0.65, 0.55, 0.46), (0.39, 0.47, 0.46))
