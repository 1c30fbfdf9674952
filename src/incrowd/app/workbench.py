"""The pages of the workbench. Streamlit runs this file."""

from __future__ import annotations

import streamlit as st

from incrowd.app.lookup import lookup_page

st.set_page_config(page_title="incrowd workbench", layout="wide")
st.navigation([st.Page(lookup_page, title="Postcodes", url_path="postcodes", default=True)]).run()
