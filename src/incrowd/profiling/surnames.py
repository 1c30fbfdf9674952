"""Common surnames, to tell a column of them from one of other words. A list of our own; those that are words, colours,
trades, towns or firms elsewhere (Baker, Brown, Hill, Lincoln, Ford) are left out.
"""

_LIST = """
adams adeyemi agarwal ahmad ahmed akhtar alexander ali allen allan anderson andrews anwar armstrong arnold
atkinson aziz bailey baird banerjee barker barnes barrett bates baxter begum bell bennett bhatt bianchi
bibi boyd bradley brennan brooks browne bryant buckley burgess burke burns burrows byrne cameron
campbell carr carroll chan chandler chaudhry chen cheng choudhury chowdhury christie chung clark clarke clarkson
cole coleman collins connolly connor cooke cox crawford cunningham cummings curran curtis davidson davies
davis davison dawson desai dickson dixon doherty donnelly doyle duffy duncan dunn edwards
elliott ellis evans ewing farooq farrell ferguson fernandez findlay finch fitzgerald fletcher flynn
foley forbes fraser gallagher garcia gardiner garner george gibbons gibbs gibson gilbert gill gomez
gonzalez gordon graham greenwood greer gregory griffin griffiths gupta hancock hanson harding
hardy harper harris harrison hart hartley harvey hawkins hayes henderson henry hernandez higgins hobbs
hodgson hoffmann holmes hopkins houghton howard howell howells hudson hughes humphreys hussain
hutchinson hutchison ibrahim iqbal ivanov jackson jacobs jain james jamieson jansen jenkins jennings johnson johnston
johnstone jones joshi kapoor kaur kaczmarek kelly kemp kennedy kerr khalid khan khatun kim kowalski kowalczyk
kumar lambert lawson lee lewandowski lewis lin lindsay liu lloyd lopez lowe lynch macdonald mackay
mackenzie maclean macleod mahmood malik mansfield marsden marshall martin martinez matthews mccarthy mcdonald
mcgregor mcintosh mcintyre mckay mckenna mckenzie mclaughlin mclean mcmillan mehta meyer miah miller
mistry mitchell mohamed mohammed moore moran morgan morris morrison morton muller mueller murphy murray
nelson newman newton nguyen nicholls nicholson nolan nowak novak obrien oconnor odonnell okafor oneill osborne
osman owen owens owusu palmer parekh parker parkinson parry parsons patel paterson patterson payne
pearce pearson perez perkins perry peters peterson phillips popescu potts powell pritchard quinn
rafiq rahman ramirez reid reilly reynolds rhodes richards richardson riley roberts robertson robinson rodriguez
rogers rossi rowe russell ryan sanchez sanders saunders schmidt schneider scott sharma shaw shah shaikh
sheikh simmons simpson sims sinclair singh smith snyder stephens stephenson stevens stevenson stewart
stokes sullivan sweeney tang taylor thomas thompson thomson tran tucker uddin
ullah vaughan walker wallace walsh walters wang watkins watson watts webb weber webster whitehead wilkins
wilkinson williams williamson willis wilson wong woods woodward wright wu xu yadav yates zhang zhao
"""

SURNAMES = frozenset(_LIST.split())
