"""Sign-offs: people say by a key of their own that they approve a release, or refuse it; and whose keys are trusted."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

import incrowd as ic
from incrowd.app.attacking import named
from incrowd.app.releasing import current, find_run, runs_of, trust_of, trusted
from incrowd.app.sessions import Session
from incrowd.app.site import FormFields, Site
from incrowd.audit.signing import public_file, read_key, read_public
from incrowd.intruder_test.web.forms import Form, first


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this part."""

    @app.get("/release/signing")
    def show(request: Request, run: str = "") -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"view": "signing", "runs": (), "run": None, "seal": None, "trusted": (), "last": ""}
        with session.lock, site.telling(session):
            if session.project is not None:
                values["runs"] = [one for one in runs_of(session) if not one.refused]
                values["trusted"] = [(place, key.fingerprint) for place, key in trusted(session).items()]
                values["last"] = session.kept.get("key", "")
                chosen = find_run(session, run) if run else current(runs_of(session))
                if chosen is not None:
                    values |= {"run": chosen, "seal": ic.audit_verify(chosen.folder, trust=trust_of(session))}
        return site.show(request, "release", **values)

    @app.post("/release/keygen")
    def keygen(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> str:
            made = ic.audit_keygen(named(site, session, first(form, "file")))
            trusted(session)[str(made.public)] = read_public(made.public)
            session.kept["key"] = str(made.private)
            session.say(
                f"A key was made. {made.private} is yours alone; give {made.public} to others, and read them its "
                f"fingerprint: {made.fingerprint}"
            )
            return "/release/signing"

        return site.act(request, form, "release/signing", do)

    @app.post("/release/sign")
    def sign(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> str:
            run, key = find_run(session, first(form, "run")), named(site, session, first(form, "key"))
            told = {name: first(form, name) for name in ("name", "role", "decision", "text")}
            signed = ic.audit_sign(run.folder, key=key, trust=trust_of(session), **told)
            # Who can sign with a key has it: that it is theirs needs no other proof here.
            trusted(session)[str(public_file(key))] = read_key(key).public
            session.kept["key"] = str(key)
            session.say(f"Signed, for every byte of this audit and release. Keep a copy of what you signed: {signed}")
            return f"/release/signing?run={run.name}"

        return site.act(request, form, "release/signing", do)

    @app.post("/release/trust")
    def trust(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            if place := first(form, "forget"):
                trusted(session).pop(place, None)
                return
            path = named(site, session, first(form, "file"))
            key = read_public(path)
            trusted(session)[str(path)] = key
            session.say(f"Trusted in this session. Is this the fingerprint that you were told? {key.fingerprint}")

        return site.act(request, form, "release/signing", do)
