"""Common forenames, to tell a column of names from one of other words. A list of our own; months, places and
words that are categories elsewhere (April, Jordan, Grace) are left out.
"""

_LIST = """
aaron abdul abigail adam adrian aisha alan albert alex alexander alexandra alfie ali alice alison
amanda amelia amy ana andrea andrew angela anita ann anna anne annie anthony antonio archie arthur
ashley barbara barry ben benjamin bernard beth bethany bradley brandon brenda brian bruce callum
cameron carl carlos carol caroline catherine charles charlie charlotte cheryl chloe chris christian
christina christine christopher claire clare clive colin connor craig daisy damian daniel danielle
darren david dawn dean deborah debra declan denise dennis derek diana diane dominic donald donna
dorothy douglas duncan dylan edward eileen elaine eleanor elizabeth ella ellie emily emma eric ethan
eva evelyn evie fatima fiona frances francesca francis frank freddie frederick freya gareth garry
gary gavin gemma geoffrey george georgina gerald gerard gillian glen glenn gordon graeme graham
grant greg gregory guy hannah harriet harry hassan hayley hazel heather helen henry hilary howard
hugh hussein iain ian ibrahim imran irene isaac isabella isla ivan jack jacob jacqueline jade jake
james jamie jane janet janice jasmine jason jay jayne jean jeffrey jemma jennifer jenny jeremy
jessica jill joan joanna joanne joe joel john jonathan jose joseph josephine josh joshua joyce juan
judith julia julian julie karen karl kate katherine kathleen kathryn katie katy kayleigh keith kelly
kenneth kerry kevin kieran kim kimberley kirsty kyle laura lauren lawrence leah leanne lee lena leo
leon leonard leslie lewis liam linda lisa logan lorraine louis louise lucas lucy luis luke lydia
lynda lynn lynne malcolm marc marcus margaret maria marian marie marilyn marion mark martin martyn
mary mathew matthew maureen max megan mehmet melanie melissa michael michelle mike mitchell mohamed
mohammad mohammed molly morgan muhammad naomi natalie natasha nathan neil nicholas nicola nicole
nigel noah norman oliver olivia oscar owen pamela patricia patrick paul paula pauline pedro peter
philip phillip phoebe phyllis rachael rachel ralph raymond rebecca reece reginald rhys richard rita
robert robin roger ronald rosemary rosie ross roy russell ruth ryan sally sam samantha samuel sandra
sara sarah scott sean sebastian shane shannon sharon shaun sheila shirley simon sofia sonia sophia
sophie stacey stanley stefan stephanie stephen steve steven stewart stuart susan suzanne sylvia
tanya terence teresa terry theo theresa thomas timothy tina toby tom tony tracey tracy trevor
valerie vanessa veronica victor victoria vincent wayne wendy william yasmin yusuf yvonne zachary
zara zoe
"""

FORENAMES = frozenset(_LIST.split())
