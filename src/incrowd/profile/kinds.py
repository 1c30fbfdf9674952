"""The kinds of variables that are recognised: their role, what columns of them are called, what values look like.

A phrase is one or more words of a column's name, in lower case; `*` at its end stands for any ending. How a name is
split into words is in `words.py`. Where two kinds fit, the longer phrase wins: 'country of birth' is not a birth
date, 'social grade' not a grade.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from incrowd.plan.model import Role
from incrowd.profile import patterns


@dataclass(frozen=True)
class Kind:
    """One kind: what it is called (one, many), its role and why, its names, the look of its values."""

    name: str
    role: Role
    why: str
    phrases: tuple[str, ...] = ()
    looks: Callable[[str], bool] | None = None
    many: str = ""
    #: The share of the values from which they are recognised without help of the name.
    enough: float = 0.8
    #: Other things look like it too: values decide only where the name speaks of nothing else.
    soft: bool = False

    @property
    def plural(self) -> str:
        """What several of them are called."""
        return self.many or f"{self.name}s"


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.split(",") if phrase.strip())


def _identifier(
    name: str, phrases: str, looks: Callable[[str], bool] | None = None, many: str = "", enough: float = 0.8
) -> Kind:
    return Kind(name, "identifier", "it names a person by itself", _phrases(phrases), looks, many, enough)


def _key(name: str, phrases: str, why: str = "others may know it of a person") -> Kind:
    return Kind(name, "key", why, _phrases(phrases))


def _sensitive(name: str, phrases: str, why: str = "it is what an intruder wants to learn") -> Kind:
    return Kind(name, "sensitive", why, _phrases(phrases))


DATE_OF_BIRTH = _key("date of birth", "date of birth, birth date, birthday, dob, d o b, born on, birth dt, date birth")
POSTCODE = Kind(
    "postcode",
    "key",
    "a whole postcode is a handful of homes, and neighbours know it",
    _phrases("postcode, post code, postal code, pcode, pcd, pcds, pcd2, zip, zip code, zipcode, pc code"),
    patterns.is_postcode,
)
AGE = _key("age", "age, ages, age years, age group, age band, age at interview, aged, current age")
RECORD_NUMBER = _identifier(
    "record number",
    "id, ids, uid, uuid, guid, person id, record id, record number, record no, record key, row id, row number, index, "
    "rownum, case id, case number, serial, serial number, serial no, person number, person no, pid, personid, pnum, "
    "respondent id, household id, hid, hhid, ori hid, family id, customer id, customer number, client id, "
    "client number, member id, member number, membership number, user id, userid, patient id, patient number, "
    "hospital number, mrn, medical record number, chi, chi number, upn, uln, student id, student number, pupil number, "
    "staff number, staff id, employee id, employee number, payroll number, reference, ref, ref no, reference number, "
    "account id, policy number, claim number, crn, utr, unique identifier, identifier, study id, subject id, "
    "participant id, unnamed 0",
    patterns.is_machine_code,
)
NAME = _identifier(
    "name",
    "name, names, full name, fullname, first name, firstname, given name, givenname, forename, forenames, fore name, "
    "middle name, last name, lastname, surname, sur name, family name, maiden name, birth name, known as, fname, "
    "lname, initials, customer name, patient name, client name, person name, employee name, contact name, nickname, "
    "alias, mother name, father name, next of kin, signature",
    patterns.is_name,
    enough=0.3,
)
SORT_CODE = _identifier("sort code", "sort code, sortcode, bank sort code", patterns.is_sort_code)

#: In the order in which values are tried: what has check digits or a mark of its own comes first.
KINDS: tuple[Kind, ...] = (
    _identifier("e-mail address", "email, e mail, mail, email address, email addr", patterns.is_email, "e-mail addresses"),
    _identifier(
        "National Insurance number",
        "national insurance, national insurance number, national insurance no, nino, ni number, ni no, nin, ni num",
        patterns.has_national_insurance_shape,
    ),
    POSTCODE,
    _identifier(
        "NHS number", "nhs number, nhs no, nhs num, nhs, nhs id, new nhs number, nhsno, nhsnumber", patterns.is_nhs_number
    ),
    _identifier("payment card number", "card number, card no, credit card number, debit card, pan", patterns.is_card_number),
    _identifier(
        "phone number",
        "phone, phones, phone number, phone no, telephone, telephone number, telephone no, tel, tel no, tel number, "
        "mobile, mobile number, mobile no, mobile phone, cell, cell phone, fax, landline, home phone, work phone, "
        "contact number, msisdn, whatsapp",
        patterns.is_phone_number,
    ),
    _identifier("IP address", "ip, ip address, ip addr, ipv4, ipv6, ipaddress", patterns.is_ip_address, "IP addresses"),
    _identifier("device address", "mac, mac address, device id, imei, advertising id", patterns.is_device_address, "device addresses"),
    _identifier("URL", "url, website, web page, homepage, link, profile url, linkedin, facebook, twitter, instagram", patterns.is_url),
    _identifier(
        "bank account number",
        "bank account, bank account number, account number, account no, acct no, acc no, bank acc, iban, bank details",
        patterns.is_iban,
    ),
    SORT_CODE,
    _identifier(
        "vehicle registration",
        "vehicle registration, vehicle reg, registration number, reg no, number plate, licence plate, license plate, "
        "vrm, vrn, vin",
        patterns.is_vehicle_registration,
    ),
    _identifier(
        "address",
        "address, address line*, addr, addr line*, home address, street, street name, house number, house name, "
        "house no, uprn, flat number, building name",
        patterns.is_address,
        "addresses",
        0.6,
    ),
    RECORD_NUMBER,
    NAME,
    _identifier("official number", "passport, passport number, passport no, driving licence, driver licence, drivers license, driving "
                "license number, ssn, social security number, social security, tax id, visa number, id card, prison number, "
                "nomis number, pnc id"),
    _identifier("user name", "username, user name, login, screen name, handle, password, passwd, pin"),
    _identifier("place on the map", "latitude, longitude, lat, lon, lng, long, easting*, northing*, grid ref*, coordinates, geom, "
                "what3words", many="places on the map"),
    _identifier("free text", "comment*, notes, note, remarks, free text, description, narrative, message, verbatim"),
    _identifier("picture or recording", "photo, photograph, image, picture, fingerprint, voice, video", many="pictures"),
    DATE_OF_BIRTH,
    AGE,
    _key("year of birth", "year of birth, birth year, yob, year born, month of birth, birth month", "it tells the age"),
    _key("sex", "sex, gender, sexe, male, female, gender identity"),
    _key(
        "area",
        "area, region, district, county, city, town, ward, lad, lad*cd, lsoa*, msoa*, oa11*, oa21*, parish, borough, "
        "council, local authority, la code, constituency, state, province, municipality, location, place, locality, "
        "village, urban rural, urbrur, rural, urban, nuts*, itl*, gor, area code, region name, area name, nation, "
        "place of residence, health board, ccg, icb, residence, residence type, catchment, outward, outcode, sector",
    ),
    _key("marital status", "marital status, marital, marstat, marst, civil status, civil partnership, hhcivil, married, "
         "partnership status, relationship status"),
    _key("ethnicity", "ethnic*, race, racial, ethnic group", "it is visible, and an intruder may also want to learn it"),
    _key("religion", "religio*, faith, belief, denomination, church", "neighbours know it, and it deserves protection as well"),
    _key("occupation", "occupation*, job, job title, profession, soc, soc2010, soc2020, workclass, work class, employment, "
         "employment status, economic activity, econ activity, econact, employer, social grade, nssec, ns sec, labour "
         "status, work status, role, position, rank, hours worked, hours per week, working hours, student"),
    _key("industry", "industry, sic, sic2007, sector of work, economic sector, trade"),
    _key("education", "education*, qualification*, qual, quals, degree, highest qual*, school*, university, college, "
         "schooling, study level"),
    _key("family", "child*, num children, number of children, n children, nchild, kids, dependants, dependents, family*, "
         "household size, hh size, hhsize, family size, family composition, household type, household composition, "
         "number of people, persons, relat, relationship, siblings, parity, parental status, lone parent"),
    _key("housing", "tenure, home owner*, homeowner, house type, housing*, dwelling*, accommodation, rooms, bedrooms, "
         "number of rooms, roof, walls, water, electcon, car, cars, vehicles, number of cars, council tax band"),
    _key("country", "country, country of birth, birth country, birthplace, place of birth, cob, native country, "
         "current country, nationality, citizenship, citizen, passport held, passport country, country of residence, "
         "year of arrival, language*, first language, main language, migrant status, immigration status"),
    _key("height or weight", "height, weight, weight kg, height cm, body weight, eye colo*, hair colo*, build, shoe size, "
         "handedness", "whoever sees a person knows it roughly"),
    _key("date of an event", "admission date, discharge date, date of admission, date of death, death date, dod, "
         "appointment date, marriage date, date of marriage, start date, join date, hire date, date*",
         "whoever was there knows the day"),
    _sensitive("income", "income*, salary, salaries, wage*, earning*, pay, gross pay, net pay, bonus, pension*, revenue, "
               "turnover, profit, allowance, expend*, spending, wsalval, ernval, pearnval, agi"),
    _sensitive("wealth", "wealth, saving*, asset*, investment*, balance, house value, property value, capital, tax, "
               "fedtax, statetax, taxinc, inheritance"),
    _sensitive("credit or debt", "credit*, credit score, credit rating, debt*, loan*, mortgage, arrears, default, defaulted, "
               "overdraft, bankrupt*, insolven*, ccj"),
    _sensitive("benefits", "benefit*, on benefits, universal credit, welfare, social assistance, food bank, "
               "free school meals, fsm, unemployed"),
    _sensitive("health", "health*, general health, diagnos*, disease*, illness, long term condition, medical*, icd*, icd10, symptom*, "
               "disab*, impairment, medication*, drug name, prescription*, treatment*, therapy, hiv, cancer, diabet*, "
               "blood*, blood group, blood type, blood pressure, bmi, cholesterol, pregnan*, mental*, depress*, "
               "anxiety, surgery, procedure, cause of death, injury, allerg*, vaccin*, covid*, genetic*, "
               "birth weight, lab result, test result"),
    _sensitive("habits", "smok*, cig*, tobacco, alcohol*, drink*, drinks per week, drug use, drugs, substance*, gambl*"),
    _sensitive("conviction", "convict*, crime*, criminal*, offen*, arrest*, sentence*, prison*, caution*, police*, victim*"),
    _sensitive("grade", "grade*, exam*, mark, marks, score*, test score, result, results, attainment, gpa, performance, appraisal, "
               "absence*, exclusion*, sen status, special needs"),
    _sensitive("opinion or private life", "politic*, vote, voted, voting, party, union member*, trade union*, sexual*, "
               "sexuality, orientation, opinion*, satisfaction, wellbeing, trans*"),
    Kind("sampling weight", "other", "it is a number of the survey, not of the person; look whether it gives away the area or the "
         "design", _phrases("sampling weight*, survey weight*, design weight*, household weight*, person weight*, "
                            "weight factor, final weight*, fnlwgt, afnlwgt, wgt, grossing factor, w, replicate weight*")),
)  # fmt: skip

BY_NAME = {kind.name: kind for kind in KINDS}

#: Words that say little by themselves: 'name' may be a drug's, 'ref' a product's. The values must agree.
WEAK = frozenset({"name", "names", "id", "ids", "index", "reference", "ref", "link", "mail", "pan", "pin", "note", "notes",
                  "long", "lat", "lon", "mac", "ip", "cell", "handle", "alias", "serial", "identifier", "street",
                  "message", "description", "comment*", "image", "picture", "voice", "video", "vin", "address"})  # fmt: skip
#: Words that turn a name around: 'email consent', 'phone type', 'has address' are not what they mention.
TURNING = frozenset({"consent", "flag", "type", "status", "has", "is", "provider", "verified", "valid", "known", "given",
                     "count", "length", "available", "preferred", "preference", "optin", "opt", "quality"})  # fmt: skip
