/**
 * The words the features count, by kind. A word belongs to one kind only, is written as the scanner sees it (lower case,
 * apostrophes dropped: `don't` → `dont`) and is found by its hash, so that a look-up costs a few nanoseconds.
 */

const wordsByKind = {
  greeting: `
    hi hello hey hiya yo greetings thanks thank thx bye goodbye cheers morning evening afternoon welcome ok okay
    yes no please sorry`,
  question: "what which who whom whose when where",
  why: "why how explain",
  negation: `
    not except never cannot cant dont doesnt didnt isnt wasnt arent werent wont without false incorrect unlikely
    neither nor`,
  condition: "if unless whether suppose assume assuming assumption given let otherwise provided",
  logic: `
    therefore thus hence implies because conclude conclusion premise premises argument valid invalid follows
    follow inference fallacy statements iff since contradict contradiction logically consistent entails`,
  step: "first second third then next finally step steps after before afterwards once last begin until",
  constraint: `
    must should only exactly ensure required require requires requirement requirements shall constraint
    constraints limit limited avoid satisfy satisfies satisfying always`,
  quantifier: "each every all any some none most many few both several least",
  comparison: `
    more less than greater fewer larger smaller higher lower same equal twice half double triple times between
    maximum minimum highest lowest`,
  arithmetic: `
    total sum average percent percentage ratio per rate cost costs price earn earns pay pays paid spend spends
    spent buy buys bought sell sells sold left remaining altogether number dozen hour hours minutes day days week
    weeks month year years miles dollars cents age old money`,
  numberWord: "one two three four five six seven eight nine ten twenty thirty hundred thousand million billion",
  maths: `
    prove proof theorem lemma integral integer integers derivative polynomial polynomials prime primes matrix
    matrices vector vectors equation equations probability triangle circle angle angles radius perpendicular
    parallel function functions graph modulo divisible factor factors root roots finite infinite group ring field
    homomorphism isomorphic abelian eigenvalue eigenvalues convergent converges sequence series real complex
    continuous differentiable linear square sqrt frac cos sin tan log bijection permutation subset coordinates
    plane geometry algebra arithmetic combinatorics permutations digits area volume perimeter diagonal coefficient
    coefficients quadratic logarithm topology subgroup cdot pi theta mathbb`,
  compute: `
    calculate compute determine find solve evaluate derive estimate simplify express approximate approximately`,
  physics: `
    energy velocity mass force acceleration momentum charge current voltage magnetic electric electron electrons
    photon wavelength frequency temperature pressure heat gas entropy thermodynamic circuit resistance capacitor
    lens diameter density friction gravity quantum particle orbital spectrum ideal adiabatic radiation laser beam
    flow fluid conductivity amplitude oscillation`,
  chemistry: `
    reaction reactions molecule molecular acid base ph ion ions compound compounds solution mole moles molar
    oxidation hydrogen oxygen carbon nitrogen sodium atom atoms atomic electronegativity equilibrium catalyst
    benzene organic aqueous isotope concentration titration element chloride product nmr solvent`,
  biology: `
    cell cells gene genes dna rna protein proteins enzyme enzymes species organism organisms evolution membrane
    chromosome chromosomes plant plants bacteria virus mutation allele population photosynthesis mitochondria
    tissue hormone receptor neurons brain`,
  medicine: `
    patient patients symptoms symptom disease diagnosis treatment clinical therapy drug blood infection pain
    physician surgery medical health syndrome fever hospital nurse muscle bone artery heart cancer vaccine chronic
    dose`,
  law: `
    court defendant plaintiff statute contract law legal jury criminal liability negligence evidence judge trial
    murder property constitution constitutional rights amendment police attorney damages tort landlord tenant sued
    suit treaty jurisdiction`,
  money: `
    market demand supply firm firms tax interest inflation income investment monetary fiscal bank stock stocks
    bond bonds capital economy economic profit revenue consumer consumers accounting asset assets debt gdp wage
    wages trade elasticity marginal competition company business management marketing customers employees`,
  humanities: `
    moral morally ethics ethical philosophy kant utilitarian virtue belief god religion religious church century
    empire war king emperor revolution historian passage author quotation political government policy democracy
    president states culture society social theory according freud psychologist psychology behavior personality
    cognitive civilization ancient archaeological`,
  code: `
    def return import class const int string str float bool void public private static var null undefined print
    printf println elif else while for foreach async await lambda struct enum interface extends include std self
    nullptr boolean char try catch throw`,
  computing: `
    python javascript typescript java rust golang html css sql react node api json code program algorithm compiler
    database server client docker kubernetes linux bash script regex array list dictionary strings tuple hash
    query table component endpoint thread threads memory cache complexity runtime recursion binary bug error
    exception debug refactor library framework testing tests software network tcp http operating kernel pointer
    stack queue heap`,
  build: `
    write implement create build design develop generate construct make optimize rewrite improve fix modify
    configure plan draft compose`,
  explain: `
    describe summarize translate compare discuss name define give tell show identify outline analyze analyse
    justify critique detail detailed comprehensive`,
  fiction: `
    story poem song essay letter email blog tweet joke lyrics character characters novel scene dialogue fictional
    creative roleplay style tone paragraph paragraphs`,
  choice: `
    following best correct true option options choose select answer likely example describes statement above below`,
  self: "i my me im ive id mine myself we our us",
  other: "he she his her him they them their its it this that these those",
  you: "you your youre yours",
  stop: `
    the a an of to in on at by with from as is are was were be been being and or but so do does did has have had
    will would can could may might into about over under there here up out off also just very too`
} as const

export type WordKind = keyof typeof wordsByKind

/** The kinds in the order of their indices. */
export const wordKinds = Object.keys(wordsByKind) as ReadonlyArray<WordKind>

export const wordsOf = (kind: WordKind): ReadonlyArray<string> => wordsByKind[kind].trim().split(/\s+/)

/** Start value and step of the word hash (FNV-1a over the letters); the scanner computes it while it reads a word. */
export const HASH_START = -2128831035
export const hashStep = (hash: number, letter: number): number => Math.imul(hash ^ letter, 16777619)

export const hashOf = (word: string): number => {
  let hash = HASH_START
  for (let i = 0; i < word.length; i++) hash = hashStep(hash, word.charCodeAt(i))
  return hash
}

// An open-addressed table in two typed arrays, at most a third full: no allocation and about one probe per look-up.
const SLOTS = 4096
const slotHash = new Int32Array(SLOTS)
const slotKind = new Int8Array(SLOTS).fill(-1)

for (const [kind, name] of wordKinds.entries()) {
  for (const word of wordsOf(name)) {
    const hash = hashOf(word)
    let slot = hash & (SLOTS - 1)
    while (slotKind[slot] !== -1) slot = (slot + 1) & (SLOTS - 1)
    slotHash[slot] = hash
    slotKind[slot] = kind
  }
}

/** The index in `wordKinds` of the word with this hash, -1 when no list has it. */
export const kindOfHash = (hash: number): number => {
  let slot = hash & (SLOTS - 1)
  while (slotKind[slot] !== -1 && slotHash[slot] !== hash) slot = (slot + 1) & (SLOTS - 1)
  return slotKind[slot]!
}
