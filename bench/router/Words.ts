/** Words that may stand for each other: what the rules of Paraphrase.ts replace. Each group is of the same form of the word. */

const groups = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .trim()
    .split(/;\s+/)
    .map((group) => group.split("|"))

/** Any of a group may be replaced by any other. */
export const synonyms = groups(`
big|large|sizable; small|little|tiny; fast|quick|rapid; quickly|rapidly|swiftly; slow|sluggish; begin|start|commence;
begins|starts|commences; began|started; end|finish|conclude; ends|finishes|concludes; show|demonstrate|illustrate;
shows|demonstrates|illustrates; prove|show|establish; explain|describe|clarify; explains|describes|clarifies;
explanation|description|clarification; write|create|compose; make|create|produce; makes|creates|produces;
made|created|produced; making|creating|producing; build|construct|assemble; built|constructed|assembled;
develop|create|devise; design|devise|draft; implement|code|program; find|determine|identify;
finds|determines|identifies; found|determined|identified; calculate|compute|work out; calculated|computed|worked out;
calculates|computes|works out; evaluate|assess|judge; compare|contrast; choose|pick|select; chooses|picks|selects;
chosen|picked|selected; give|provide|supply; gives|provides|supplies; given|provided|supplied; get|obtain|receive;
gets|obtains|receives; got|obtained|received; use|employ|utilize; uses|employs|utilizes; used|employed|utilized;
using|employing|utilizing; help|assist|aid; helps|assists|aids; need|require; needs|requires; needed|required;
want|wish; wants|wishes; buy|purchase; buys|purchases; bought|purchased; sell|offer; change|alter|modify;
changes|alters|modifies; changed|altered|modified; improve|enhance|better; improves|enhances|betters;
reduce|lower|decrease; reduces|lowers|decreases; reduced|lowered|decreased; increase|raise|boost;
increases|raises|boosts; increased|raised|boosted; contain|include|hold; contains|includes|holds;
containing|including|holding; remove|delete|eliminate; removed|deleted|eliminated; add|append|insert;
added|appended|inserted; check|verify|test; checks|verifies|tests; return|give back|yield; returns|gives back|yields;
takes|accepts|receives; happen|occur|take place; happens|occurs|takes place; happened|occurred|took place;
cause|bring about|lead to; causes|brings about|leads to; caused|brought about|led to; keep|retain|maintain;
keeps|retains|maintains; allow|permit|let; allows|permits|lets; allowed|permitted; try|attempt; tries|attempts;
tried|attempted; seem|appear|look; seems|appears|looks; think|believe|reckon; thinks|believes|reckons;
say|state|claim; says|states|claims; said|stated|claimed; tell|inform; ask|inquire; asked|inquired;
answer|reply|response; answers|replies|responses; question|query; questions|queries; problem|issue|difficulty;
problems|issues|difficulties; solution|answer|resolution; solve|resolve|work out; task|job|assignment;
tasks|jobs|assignments; example|instance|sample; examples|instances|samples; list|enumerate;
summarize|sum up|condense; translate|render; rewrite|rephrase|reword; suggest|recommend|propose;
suggests|recommends|proposes; suggestion|recommendation|proposal; discuss|examine|consider; analyze|examine|study;
analysis|examination|study; method|approach|technique; methods|approaches|techniques; way|manner|fashion;
ways|manners; idea|notion|concept; ideas|notions|concepts; goal|aim|objective; goals|aims|objectives; result|outcome;
results|outcomes; reason|cause; reasons|causes; effect|impact|consequence; effects|impacts|consequences;
kind|type|sort; kinds|types|sorts; part|portion|piece; parts|portions|pieces; amount|quantity; amounts|quantities;
total|overall; whole|entire|complete; main|primary|principal; important|essential|crucial; necessary|required|needed;
possible|feasible; difficult|hard|tough; easy|simple|straightforward; correct|right|accurate;
incorrect|wrong|mistaken; correctly|properly|rightly; best|ideal|optimal; good|fine|decent; great|excellent|superb;
bad|poor; new|novel|fresh; old|ancient|aged; common|usual|typical; usually|typically|generally;
often|frequently|regularly; sometimes|occasionally|at times; always|invariably; never|at no time; only|just|solely;
also|as well|too; almost|nearly|practically; about|approximately|roughly; around|about; exactly|precisely;
probably|likely; likely|probable; several|multiple|various; many|numerous|a lot of; few|not many; enough|sufficient;
each|every; every|each; all|every one of; different|distinct|various; same|identical; similar|alike|comparable;
various|diverse; specific|particular; certain|particular; entire|whole; current|present; following|subsequent;
previous|prior|earlier; next|following; first|initial; last|final; before|prior to; after|following;
during|throughout; because|since|as; therefore|thus|hence; however|nevertheless|yet; although|though|even though;
if|in case; while|whereas; but|yet; so|thus; additionally|furthermore|moreover; instead|rather; between|among;
within|inside; without|lacking; regarding|concerning|about; person|individual|human; people|persons|individuals;
man|guy|gentleman; woman|lady; child|kid|youngster; children|kids|youngsters; student|pupil|learner;
students|pupils|learners; teacher|instructor|educator; teachers|instructors|educators; friend|pal|buddy;
friends|pals|buddies; doctor|physician; doctors|physicians; company|firm|business; companies|firms|businesses;
customer|client|patron; customers|clients|patrons; worker|employee; workers|employees; boss|manager|supervisor;
car|automobile|vehicle; cars|automobiles|vehicles; house|home|dwelling; houses|homes|dwellings; city|town;
cities|towns; country|nation|state; countries|nations|states; street|road; money|cash|funds; price|cost;
costs|prices; money-saving|economical; salary|wage|pay; food|meals; drink|beverage; trip|journey|voyage;
picture|image|photo; pictures|images|photos; book|volume; story|tale|narrative; stories|tales|narratives;
essay|paper|article; text|passage; word|term; words|terms; sentence|phrase; paragraph|passage; letter|note;
mail|email|message; number|figure; numbers|figures; string|text; array|list; function|method|routine;
program|script|application; code|source code; app|application; website|web page|site; computer|machine;
error|mistake|bug; errors|mistakes|bugs; bug|defect|fault; feature|capability; user|person; users|people;
data|information; information|details|facts; file|document; speed|velocity|pace; size|dimension|extent; shape|form;
area|region|zone; place|location|spot; places|locations|spots; top|upper; bottom|lower; left|remaining;
near|close to|next to; far|distant; long|lengthy; short|brief; tall|high; wide|broad; heavy|weighty;
strong|powerful|robust; weak|feeble; hot|warm; cold|chilly|cool; beautiful|pretty|lovely; happy|glad|cheerful;
sad|unhappy|sorrowful; angry|mad|furious; smart|clever|intelligent; strange|odd|weird; famous|well-known|renowned;
rich|wealthy; safe|secure; dangerous|risky|hazardous; clear|plain|evident; obvious|evident|apparent;
real|actual|genuine; true|correct; false|incorrect|untrue; sure|certain; ready|prepared; live|reside|dwell;
lives|resides|dwells; go|travel; goes|travels; went|travelled; come|arrive; leave|depart; leaves|departs;
left over|remaining; walk|stroll; run|execute; eat|consume; eats|consumes; ate|consumed; see|notice|spot;
look at|view|inspect; hear|listen to; talk|speak|chat; understand|grasp|comprehend; know|be aware of; learn|study;
remember|recall; forget|overlook; like|enjoy; likes|enjoys; love|adore; hate|dislike|detest; hope|wish;
fix|repair|mend; break|shatter; broken|damaged; open|unlock; close|shut; closed|shut; send|transmit|dispatch;
sent|transmitted|dispatched; receive|get|obtain; pay|spend; pays|spends; paid|spent; earn|make; earns|makes;
save|store; share|divide; split|divide; divided|split; join|connect|link; connected|linked|joined;
separate|split|detach; collect|gather|assemble; collected|gathered; discover|find|uncover; invent|devise|create;
happily|gladly; please|kindly; statement|claim|assertion; statements|claims|assertions; passage|excerpt|extract;
author|writer; according to|as stated by; refers to|denotes|means; means|signifies|implies;
best describes|most accurately describes; most likely|most probably; is based on|rests on; in order to|so as to|to;
such as|like|for example; as well as|along with|and; at least|no fewer than|a minimum of;
at most|no more than|a maximum of; more than|over|above; less than|below|under; due to|because of|owing to;
how many|what number of; step by step|one step at a time; in detail|thoroughly; for instance|for example;
assume|suppose; suppose|assume|imagine; let us|let's; ensure|make sure|guarantee; ensures|makes sure|guarantees;
consist of|comprise; consists of|comprises
`)

/** Short and long forms of the same words. */
export const contractions: ReadonlyArray<readonly [short: string, long: string]> = groups(`
don't|do not; doesn't|does not; didn't|did not; can't|cannot; couldn't|could not; won't|will not; wouldn't|would not;
shouldn't|should not; isn't|is not; aren't|are not; wasn't|was not; weren't|were not; haven't|have not;
hasn't|has not; hadn't|had not; mustn't|must not; needn't|need not; I'm|I am; I've|I have; I'd|I would; I'll|I will;
you're|you are; you've|you have; you'll|you will; he's|he is; she's|she is; it's|it is; it'll|it will;
that's|that is; there's|there is; here's|here is; we're|we are; we've|we have; we'll|we will; they're|they are;
they've|they have; they'll|they will; what's|what is; who's|who is; where's|where is; how's|how is; when's|when is;
let's|let us
`).map(([short, long]) => [short!, long!])

/** British and American spelling. */
export const spellings: ReadonlyArray<readonly [british: string, american: string]> = groups(`
colour|color; colours|colors; coloured|colored; favourite|favorite; favour|favor; behaviour|behavior;
behaviours|behaviors; neighbour|neighbor; neighbours|neighbors; neighbourhood|neighborhood; labour|labor;
honour|honor; humour|humor; flavour|flavor; harbour|harbor; rumour|rumor; vapour|vapor; centre|center;
centres|centers; metre|meter; metres|meters; kilometre|kilometer; kilometres|kilometers; centimetre|centimeter;
centimetres|centimeters; litre|liter; litres|liters; theatre|theater; fibre|fiber; organise|organize;
organised|organized; organisation|organization; organisations|organizations; recognise|recognize;
recognised|recognized; realise|realize; analyse|analyze; analysed|analyzed; analysing|analyzing; optimise|optimize;
optimised|optimized; optimisation|optimization; minimise|minimize; maximise|maximize; summarise|summarize;
characterise|characterize; normalise|normalize; initialise|initialize; categorise|categorize; emphasise|emphasize;
prioritise|prioritize; specialise|specialize; apologise|apologize; standardise|standardize; visualise|visualize;
modelling|modeling; modelled|modeled; labelled|labeled; travelling|traveling; travelled|traveled; traveller|traveler;
cancelled|canceled; fuelled|fueled; jewellery|jewelry; catalogue|catalog; dialogue|dialog; programme|program;
grey|gray; licence|license; defence|defense; offence|offense; practise|practice; aluminium|aluminum; tyre|tire;
tyres|tires; cheque|check; mum|mom; maths|math; fulfil|fulfill; skilful|skillful; enrol|enroll; ageing|aging;
judgement|judgment; learnt|learned; burnt|burned; towards|toward; whilst|while
`).map(([british, american]) => [british!, american!])
