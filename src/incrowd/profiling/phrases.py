"""What columns of each kind are called.

Phrases, separated by commas: one or more words of a column's name, in lower case; `*` stands for any
letters. How a name is split into words, and which phrase wins, is in `words.py`.
"""

from __future__ import annotations

PHRASES: dict[str, str] = {
    "e-mail address": "email, e mail, mail, email address, email addr",
    "National Insurance number": """
        national insurance, national insurance number, national insurance no, nino, ni number, ni no,
        nin, ni num
    """,
    "postcode": """
        postcode, post code, postal code, pcode, pcd, pcds, pcd2, zip, zip code, zipcode, pc code
    """,
    "NHS number": """
        nhs number, nhs no, nhs num, nhs, nhs id, new nhs number, nhsno, nhsnumber
    """,
    "payment card number": "card number, card no, credit card number, debit card, pan",
    "phone number": """
        phone, phones, phone number, phone no, telephone, telephone number, telephone no, tel, tel no,
        tel number, mobile, mobile number, mobile no, mobile phone, cell, cell phone, fax, landline,
        home phone, work phone, contact number, msisdn, whatsapp
    """,
    "IP address": "ip, ip address, ip addr, ipv4, ipv6, ipaddress",
    "device address": "mac, mac address, device id, imei, advertising id",
    "URL": """
        url, website, web page, homepage, link, profile url, linkedin, facebook, twitter, instagram
    """,
    "bank account number": """
        bank account, bank account number, account number, account no, acct no, acc no, bank acc, iban,
        bank details
    """,
    "sort code": "sort code, sortcode, bank sort code",
    "vehicle registration": """
        vehicle registration, vehicle reg, registration number, reg no, number plate, licence plate,
        license plate, vrm, vrn, vin
    """,
    "address": """
        address, address line*, addr, addr line*, home address, street, street name, house number,
        house name, house no, uprn, flat number, building name
    """,
    "record number": """
        id, ids, uid, uuid, guid, person id, record id, record number, record no, record key, row id,
        row number, index, rownum, case id, case number, serial, serial number, serial no,
        person number, person no, pid, personid, pnum, respondent id, household id, hid, hhid, ori hid,
        family id, customer id, customer number, client id, client number, member id, member number,
        membership number, user id, userid, patient id, patient number, hospital number, mrn,
        medical record number, chi, chi number, upn, uln, student id, student number, pupil number,
        staff number, staff id, employee id, employee number, payroll number, reference, ref, ref no,
        reference number, account id, policy number, claim number, crn, utr, unique identifier,
        identifier, study id, subject id, participant id, unnamed 0
    """,
    "name": """
        name, names, full name, fullname, first name, firstname, given name, givenname, forename,
        forenames, fore name, middle name, last name, lastname, surname, sur name, family name,
        maiden name, birth name, known as, fname, lname, initials, customer name, patient name,
        client name, person name, employee name, contact name, nickname, alias, mother name,
        father name, next of kin, signature, vorname, nachname, familienname, prenom, nom de famille,
        apellido, apellidos, cognome
    """,
    "official number": """
        passport, passport number, passport no, driving licence, driver licence, drivers license,
        driving license number, ssn, social security number, social security, tax id, visa number,
        id card, prison number, nomis number, pnc id
    """,
    "user name": """
        username, user name, login, screen name, handle, password, passwd, pin
    """,
    "place on the map": """
        latitude, longitude, lat, lon, lng, long, easting*, northing*, grid ref*, coordinates, geom,
        what3words
    """,
    "free text": """
        comment*, notes, note, remarks, free text, description, narrative, message, verbatim
    """,
    "picture or recording": "photo, photograph, image, picture, fingerprint, voice, video",
    "date of birth": """
        date of birth, birth date, birthday, dob, d o b, born on, birth dt, date birth
    """,
    "age": """
        age, ages, age years, age group, age band, age at interview, aged, current age
    """,
    "year of birth": """
        year of birth, birth year, yob, year born, month of birth, birth month
    """,
    "sex": "sex, gender, sexe, male, female, gender identity",
    "area": """
        area, region, district, county, city, town, ward, lad, lad*cd, lsoa*, msoa*, oa11*, oa21*,
        parish, borough, council, local authority, la code, constituency, state, province, municipality,
        location, place, locality, village, urban rural, urbrur, rural, urban, nuts*, itl*, gor,
        area code, region name, area name, nation, place of residence, health board, ccg, icb,
        residence, residence type, catchment, outward, outcode, sector
    """,
    "marital status": """
        marital status, marital, marstat, marst, civil status, civil partnership, hhcivil, married,
        partnership status, relationship status
    """,
    "ethnicity": "ethnic*, race, racial, ethnic group",
    "religion": "religio*, faith, belief, denomination, church",
    "occupation": """
        occupation*, job, job title, profession, soc, soc2010, soc2020, workclass, work class,
        employment, employment status, economic activity, econ activity, econact, employer,
        social grade, nssec, ns sec, labour status, work status, role, position, rank, hours worked,
        hours per week, working hours, student
    """,
    "industry": "industry, sic, sic2007, sector of work, economic sector, trade",
    "education": """
        education*, qualification*, qual, quals, degree, highest qual*, school*, university, college,
        schooling, study level
    """,
    "family": """
        child*, num children, number of children, n children, nchild, kids, dependants, dependents,
        family*, household size, hh size, hhsize, family size, family composition, household type,
        household composition, number of people, persons, relat, relationship, siblings, parity,
        parental status, lone parent
    """,
    "housing": """
        tenure, home owner*, homeowner, house type, housing*, dwelling*, accommodation, rooms, bedrooms,
        number of rooms, roof, walls, water, electcon, car, cars, vehicles, number of cars,
        council tax band
    """,
    "country": """
        country, country of birth, birth country, birthplace, place of birth, cob, native country,
        current country, nationality, citizenship, citizen, passport held, passport country,
        country of residence, year of arrival, language*, first language, main language, migrant status,
        immigration status
    """,
    "height or weight": """
        height, weight, weight kg, height cm, body weight, eye colo*, hair colo*, build, shoe size,
        handedness
    """,
    "date of an event": """
        admission date, discharge date, date of admission, date of death, death date, dod,
        appointment date, marriage date, date of marriage, start date, join date, hire date, date*
    """,
    "income": """
        income*, salary, salaries, wage*, earning*, pay, gross pay, net pay, bonus, pension*, revenue,
        turnover, profit, allowance, expend*, spending, wsalval, ernval, pearnval, agi
    """,
    "wealth": """
        wealth, saving*, asset*, investment*, balance, house value, property value, capital, tax,
        fedtax, statetax, taxinc, inheritance
    """,
    "credit or debt": """
        credit*, credit score, credit rating, debt*, loan*, mortgage, arrears, default, defaulted,
        overdraft, bankrupt*, insolven*, ccj
    """,
    "benefits": """
        benefit*, on benefits, universal credit, welfare, social assistance, food bank,
        free school meals, fsm, unemployed
    """,
    "health": """
        health*, general health, diagnos*, disease*, illness, long term condition, medical*, icd*,
        icd10, symptom*, disab*, impairment, medication*, drug name, prescription*, treatment*, therapy,
        hiv, cancer, diabet*, blood*, blood group, blood type, blood pressure, bmi, cholesterol,
        pregnan*, mental*, depress*, anxiety, surgery, procedure, cause of death, injury, allerg*,
        vaccin*, covid*, genetic*, birth weight, lab result, test result
    """,
    "habits": """
        smok*, cig*, tobacco, alcohol*, drink*, drinks per week, drug use, drugs, substance*, gambl*
    """,
    "conviction": """
        convict*, crime*, criminal*, offen*, arrest*, sentence*, prison*, caution*, police*, victim*
    """,
    "grade": """
        grade*, exam*, mark, marks, score*, test score, result, results, attainment, gpa, performance,
        appraisal, absence*, exclusion*, sen status, special needs
    """,
    "opinion or private life": """
        politic*, vote, voted, voting, party, union member*, trade union*, sexual*, sexuality,
        orientation, opinion*, satisfaction, wellbeing, trans*
    """,
    "sampling weight": """
        sampling weight*, survey weight*, design weight*, household weight*, person weight*,
        weight factor, final weight*, weight final, weights, pweight, wt,
        fnlwgt, afnlwgt, wgt, grossing factor, w, replicate weight*
    """,
}

#: Phrases that say little by themselves: 'name' may be a drug's, 'ref' a product's. The values must agree.
WEAK = """
    address, alias, cell, comment*, description, handle, id, identifier, ids, image, index, ip, lat,
    link, lon, long, mac, mail, message, name, names, note, notes, pan, picture, pin, ref, reference,
    serial, street, video, vin, voice
"""

#: Words that turn a name around: 'email consent', 'phone type', 'has address' are not what they mention.
TURNING = """
    available, consent, count, flag, given, has, is, known, length, opt, optin, preference, preferred,
    provider, quality, status, type, valid, verified
"""


def split(phrases: str) -> tuple[str, ...]:
    """The phrases of a list, each with single spaces."""
    return tuple(" ".join(phrase.split()) for phrase in phrases.split(","))
