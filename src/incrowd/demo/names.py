"""What are the people called? A first name of the gender and the time of birth, and a surname.

Names repeat as they do in life: the commonest first name and the commonest surname are each some thirty
times as common as the rarest in the list. Nobody's name is taken from anywhere: both lists are common
knowledge.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.demo.draw import Floats, Ints, cumulate, pick

WIDTH = 2  # uniform numbers that one person needs here

# Born since about 1994, 1964 to 1993, and before; the commonest first.
FEMALE = (
    """Olivia Emily Jessica Chloe Sophie Amelia Charlotte Megan Lauren Ella Grace Lucy Holly Georgia
    Bethany Hannah Mia Isabella Abigail Katie Ellie Molly Amy Eleanor Jade Daisy Phoebe Freya Poppy Aisha
    Fatima Zara Imogen Rosie Maryam Erin Niamh Libby Harriet Paige Caitlin Isla Evie Sienna Matilda Anya
    Yasmin Seren Priya Nia""",
    """Sarah Claire Nicola Emma Lisa Joanne Michelle Helen Samantha Karen Victoria Rachel Louise Julie
    Rebecca Laura Kelly Tracey Sharon Amanda Angela Gemma Natalie Kerry Donna Jennifer Stephanie Catherine
    Andrea Leanne Katherine Deborah Alison Tina Hayley Joanna Melissa Zoe Shazia Anna Sian Kirsty Nasreen
    Agnieszka Rupinder Bukola Carly Teresa Tanya Monika""",
    """Margaret Susan Christine Patricia Jean Mary Linda Barbara Carol Sheila Maureen Dorothy Joan Janet
    Ann Brenda Pauline Elizabeth Judith Sandra Valerie Joyce Eileen Kathleen Marion Irene Jacqueline
    Doreen Beryl Hilary Gillian Rosemary Sylvia Audrey Jill Marjorie Vera Edna Hazel Josephine Norma
    Daphne Gwyneth Enid Winifred Surjit Begum Heather Rita Muriel""",
)
MALE = (
    """Jack Thomas James Joshua Daniel Oliver Harry Samuel William Joseph Charlie George Jacob Callum Luke
    Ryan Connor Lewis Mohammed Alexander Jake Benjamin Liam Matthew Adam Nathan Alfie Ethan Kieran Max
    Noah Archie Tyler Owen Rhys Bradley Muhammad Toby Reece Dylan Leo Kyle Oscar Finley Ibrahim Hamza
    Yusuf Arjun Ewan Kai""",
    """David Paul Andrew Mark Michael Christopher Stephen Richard Robert Steven Simon Lee Darren Jason Ian
    Gary Neil Craig Jonathan Anthony Stuart Kevin Martin Wayne Philip Scott Gareth Nicholas Carl Dean
    Jamie Timothy Shaun Adrian Imran Marc Karl Graham Barry Damian Russell Glenn Tariq Sanjay Piotr Tomasz
    Duncan Rajesh Huw Emeka""",
    """John Peter Brian Alan Kenneth Ronald Derek Roger Keith Geoffrey Raymond Dennis Terence Colin Trevor
    Donald Malcolm Roy Anthony Norman Gordon Barrie Clive Gerald Leonard Stanley Frank Arthur Eric Douglas
    Frederick Harold Leslie Patrick Edward Albert Maurice Ernest Bernard Reginald Sidney Cyril Gwyn Idris
    Desmond Vernon Gurdev Abdul Clifford Wilfred""",
)
SURNAMES = """
    Smith Jones Taylor Williams Brown Davies Evans Wilson Thomas Roberts Johnson Lewis Walker Robinson
    Wood Thompson White Watson Jackson Wright Green Harris Cooper King Lee Martin Clarke James Morgan
    Hughes Edwards Hill Moore Clark Harrison Scott Young Morris Hall Ward Turner Carter Phillips Mitchell
    Patel Adams Campbell Anderson Allen Cook Bailey Parker Miller Davis Murphy Price Bell Baker Griffiths
    Kelly Simpson Marshall Collins Bennett Cox Richardson Fox Gray Rose Chapman Hunt Robertson Shaw
    Reynolds Lloyd Ellis Richards Russell Wilkinson Khan Graham Stewart Reid Murray Powell Palmer Holmes
    Rogers Stevens Walsh Hunter Thomson Matthews Ross Owen Mason Knight Kennedy Butler Saunders Cole
    Pearce Dean Foster Harvey Hudson Gibson Mills Berry Barnes Pearson Kaur Singh Ali Hussain Begum Ahmed
    Webb Lawrence Dixon Hart Grant Fisher Ford Spencer Rees Elliott Day Andrews Burton Lawson Payne
    Jenkins Brooks Barker Gordon Armstrong Carr Watts Booth Hughes-Jones Perry Williamson Hayes Dawson
    West Francis Nicholson Howard Wells Cunningham Sutton Woods Stone Fletcher Bradley Holland Lane Newman
    Poole Bird Bishop Oliver Page Cross Gill Sharp Burns Kerr Nash Hammond Gardner Gibbs Lowe Parsons
    Harper Burgess Barrett Long Bates Curtis Chambers Read Moss Miles Coleman Webster Reeves Dunn Goodwin
    Hopkins Warren Barton Fuller Norris Sykes Nelson Potter Hardy Tucker Slater Byrne Stephens Doyle
    Osborne Hodgson Weston Ryan Lambert Leach Higgins Jennings Cartwright Hewitt Blake Bowen Swift
    Pritchard Manning Connolly Whitehead Frost Barlow Riley Preston Marsh Baldwin Hancock O'Brien O'Connor
    Sheikh Akhtar Rahman Malik Iqbal Shah Mahmood Chowdhury Uddin Miah Bibi Sharma Gupta Mistry Desai
    Dhillon Sandhu Okafor Adeyemi Mensah Osei Abdi Mohamud Nowak Kowalski Wisniewski Popescu Silva Chen
    Wong Nguyen Tran Cohen Levy Goldberg Costa Rossi Fernandez Grant-Hall Pugh Vaughan Beynon Probert
    Ap-Rhys Tregenza Trelawny Penrose Hepworth Oldroyd Sugden Entwistle Ramsbottom Birtwistle Featherstone
    Micklethwaite Fawcett Dobson Charlton Robson Milburn
"""


@cache
def _first_names() -> tuple[pa.Array, Floats]:
    """All first names in a row, by gender (as in GENDERS) and time of birth; one list's thresholds."""
    lists = [cohort.split() for cohort in (*FEMALE, *MALE)]
    return pa.array([name for cohort in lists for name in cohort]), _by_rank(len(lists[0]), 1.6)


@cache
def _surnames() -> tuple[pa.Array, Floats]:
    """All surnames, and their thresholds."""
    names = SURNAMES.split()
    return pa.array(names), _by_rank(len(names), 12)


def _by_rank(size: int, start: float) -> Floats:
    """Thresholds where the name of rank r has the weight 1 / (start + r)."""
    return cumulate([1 / (start + rank) for rank in range(size)])


def draw_names(uniform: Floats, gender: Ints, age: Ints) -> pa.Array:
    """What is each person called? `uniform` holds WIDTH numbers per person."""
    first_names, by_rank = _first_names()
    surnames, surnames_by_rank = _surnames()
    born = (age >= 30).astype(np.int64) + (age >= 60)
    place = (gender * 3 + born) * len(by_rank) + pick(uniform[0], by_rank)
    surname = pick(uniform[1], surnames_by_rank)
    return pc.binary_join_element_wise(first_names.take(place), surnames.take(surname), " ")
