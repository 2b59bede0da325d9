/**
 * The words the features count, by kind. A word belongs to one kind only, is written as the scanner sees it (lower case,
 * apostrophes dropped: `don't` → `dont`) and is found by its hash, so that a look-up costs a few nanoseconds.
 */
import { isAccented, lowerOther } from "../text/Characters.ts"
import { type Edition, LATEST } from "./Edition.ts"
import { addedKinds, addedWords } from "./AddedWords.ts"

const wordsByKind = {
  greeting: `
    hi hello hey hiya yo greetings thanks thank thx bye goodbye cheers welcome ok okay yes no please sorry kindly
    hola bonjour hallo ciao merci danke gracias`,
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
    at_most at_least no_more no_less must_not not_exceed without_any     must should only exactly ensure required require requires requirement  shall constraint
     limit limited avoid satisfy satisfies satisfying always`,
  quantifier: "each every all any some none most many few both several least",
  comparison: `
    more less than greater fewer larger smaller higher lower same equal twice half double triple times between
    maximum minimum highest lowest`,
  unit: `
    cm mm km kg mg ml mol ft lb lbs hz khz mhz kw kwh mph gallons gallon liters liter litres litre pounds pound ounces
    ounce feet foot inches inch meters meter metres metre kilometers grams gram kilograms degrees degree celsius
    fahrenheit joules watts volts ohms newtons pa kpa atm psi nm ev kj cal btu seconds`,
  arithmetic: `
    how_many how_much in_all each_day per_day as_many as_much     total sum average percent percentage ratio per rate cost costs price earn earns pay pays paid spend spends
    spent buy buys bought sell sells sold left remaining altogether number dozen hour hours minutes day days week
    weeks month year years miles dollars cents age old money`,
  numberWord: "one two three four five six seven eight nine ten twenty thirty hundred thousand million billion",
  proof: `
    prove disprove theorem lemma corollary conjecture counterexample rigorous rigorously bijection isomorphism
    homomorphism show_that shown_that demonstrate_that establish_that deduce_that by_induction mathematical_proof
    formal_proof complete_proof full_proof proof_that proof_of infinitely_many
    show_mathematically show_rigorously show_formally show_carefully demonstrate_mathematically demonstrate_formally`,
  argue: "demonstrate demonstrates derive establish deduce proof proofs proving proves",
  maths: `
    proposition induction axiom axioms isomorphic abelian converges convergent derivation integral integer integers derivative polynomial polynomials prime primes matrix
    matrices vector vectors equation equations probability triangle circle angle angles radius perpendicular
    parallel function functions graph modulo divisible factor factors root roots finite infinite group ring field
       eigenvalue eigenvalues   sequence series real complex
    continuous differentiable linear square sqrt frac cos sin tan log  permutation subset coordinates
    plane geometry algebra arithmetic combinatorics permutations digits area volume perimeter diagonal coefficient
    coefficients quadratic inequality inequalities formula uniqueness irrational countable uncountable convex injective
    surjective bijective monotone eigenvector pointwise logarithm topology subgroup cdot pi theta mathbb`,
  compute: `
    calculate compute determine find solve evaluate estimate simplify express approximate approximately`,
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
    stack queue heap js php ruby perl lua kotlin swift scala haskell matlab julia excel vba awk sed powershell numpy
    pandas terraform kubectl postgres mysql redis nginx snippet oneliner in_c in_go in_r loop loops spreadsheet`,
  design: `
    architecture architect distributed scalable scalability latency throughput consistency availability
    concurrency concurrent transaction transactions failover replication sharding microservice microservices
    deployment migration security authentication authorization encryption tradeoff tradeoffs invariant
    invariants trade_off trade_offs backpressure idempotent requirements constraints tenants asynchronous`,
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

/** The same in other languages, as a start: what asks for a proof, a calculation, code or an explanation asks so in any of them. */
const elsewhere: Partial<Readonly<Record<keyof typeof wordsByKind, string>>> = {
  proof: `
    beweise beweisen beweis zeige zeigen_dass herleiten herleitung leite_her satz widerspruch vollständige prouver prouvez prouve montre_que montrez_que montrer_que démontrer démontrez démontre preuve
    théorème demuestra demuestre demuestren demostrar demostración prueba_que pruebe_que pruebe probar_que teorema mostra_che dimostra dimostrare dimostrazione prove prova provar provem mostre_que
    demonstre bewijs bewijzen stelling udowodnij dowód twierdzenie докажите доказать докажи доказательство доказательством теорема покажи_что покажите_что показать_что
    доведіть довести доведення kanıtla kanıtlayın ispatla ispatlayın teoremi أثبت برهن برهان مبرهنة הוכח הוכיחו הוכחה
    משפט सिद्ध प्रमाण प्रमेय 证明 證明 証明 定理 引理 归纳 求证 反证 示せ 증명 정리`,
  argue:
    "herleite ableiten dériver dérivez dérive établir établis établissez deduce derivar deriva demostrando derivare вывести выведите выведи 推导 推導 導出 導け 유도",
  maths: `
    gleichung gleichungen ganze zahlen primzahl primzahlen wurzel funktion wahrscheinlichkeit équation équations
    fonction probabilité entiers racine premiers ecuación ecuaciones función probabilidad raíz enteros primos equazione
    funzione probabilità radice numeri primi equação função probabilidade vergelijking functie kans równanie funkcja
    liczb pierwszych уравнение функция вероятность корень простых чисел рівняння функція denklem fonksiyon olasılık
    asal sayı معادلة دالة احتمال משוואה פונקציה समीकरण फलन अभाज्य 方程 函数 函數 関数 概率 確率 积分 素数 质数 整数 矩阵 방정 함수 확률 소수
    적분`,
  compute: `
    berechne berechnen bestimme bestimmen löse calculer calculez calcule résoudre résolvez déterminer déterminez
    calcula calcular determina determinar resuelve halla calcola risolvi trova resolva bereken bepaal los oblicz
    rozwiąż wyznacz вычислите вычисли найдите решите обчисліть знайдіть hesapla hesaplayın bulun çöz احسب أوجد حل חשב
    מצא פתור गणना हल 计算 計算 求解 解方 계산 구하`,
  build: `
    implementiere schreibe entwirf entwerfe entwickle programmiere implémenter implémente implémentez écrire écris
    concevoir concevez conçois développe implementa escribe diseña desarrolla scrivi progetta sviluppa escreva projete
    desenvolva schrijf ontwerp implementeer napisz zaprojektuj zaimplementuj напишите напиши реализуйте спроектируйте
    разработайте реализуй напишіть реалізуйте спроєктуйте yaz yazın tasarla tasarlayın uygula اكتب صمم نفذ כתוב תכנן
    ממש लिखें लिखो डिज़ाइन 编写 編写 实现 实作 設計 设计 实装 実装 写一 作成 구현 작성 설계`,
  computing: `
    funktionen programm programmiersprache algorithmus datenbank fonctions programme algorithme données programa
    algoritmo datos programma algoritme baza danych algorytm алгоритм программу программа код база данных алгоритм veritabanı
    algoritma kod برنامج خوارزمية قاعدة קוד אלגוריתם प्रोग्राम एल्गोरिदम कोड 代码 代碼 程序 算法 数据 数組 线程 コー 코드 알고
    데이`,
  explain: `
    erkläre erklären begründe beschreibe vergleiche erläutere expliquer explique expliquez justifie justifiez décris
    comparez explica explique justifica describe compara spiega giustifica descrivi leg uit verklaar wyjaśnij uzasadnij
    opisz объясните объясни обоснуйте опишите поясніть обґрунтуйте açıkla açıklayın اشرح فسر وضح הסבר נמק समझाइए
    समझाएं 解释 解釋 説明 说明 证实 설명 비교 比较`,
  why: "warum wieso pourquoi comment porqué cómo perché waarom dlaczego почему чому neden لماذا כיצד למה क्यों कैसे 为什 为何 왜 어떻",
  step: `
    schritt schritte étape étapes paso pasos passo passi passos stap stappen krok kroku kroków шаг шага шагов крок
    кроку adım خطوة שלב चरण 步骤 一步 단계`,
  condition: `
    wenn falls angenommen supposons suppose soit sei seien supón sea sean sia siano seja als stel jeśli niech если пусть
    якщо нехай eğer إذا ליהן אם यदि 如果 假设 设函 もし 만약`,
  constraint: `
    muss müssen mindestens höchstens genau doit doivent exactement moins debe deben debería deve devono devem moet
    moeten musi muszą должен должна должны должно повинен повинна olmalı gerekir يجب חייב 必须 必須 不得 至少 해야`,
  negation: "nicht kein keine pas jamais sin nie niet geen nem nunca не нет ні değil لا ليس לא नहीं 不能 没有",
  question: `
    was wer wann wo welche welcher quel quelle quand où qui qué cuál quién cuándo dónde cuánto quanto qual quando onde
    chi cosa dove wat wie wanneer waar welke co kto kiedy gdzie jaka jaki jaka что кто когда где какая какой столица
    що хто де яка nedir kim nerede ما من متى أين מה מי מתי איפה क्या कौन कब कहाँ 什么 哪里 谁是 何で 무엇 어디`
}

export type WordKind = keyof typeof wordsByKind | keyof typeof addedKinds

/** The kinds in the order of their indices. */
export const wordKinds = [...Object.keys(wordsByKind), ...Object.keys(addedKinds)] as ReadonlyArray<WordKind>

/** The English words of a kind of the first edition, all words of one that the second added. */
export const wordsOf = (kind: WordKind): ReadonlyArray<string> => (words[kind] ?? added[kind] ?? "").trim().split(/\s+/)

/** Start value and step of the word hash (FNV-1a over the letters); the scanner computes it while it reads a word. */
export const HASH_START = -2128831035
export const hashStep = (hash: number, letter: number): number => Math.imul(hash ^ letter, 16777619)

/** Of a word as the scanner reads it: it passes over the accented letters of Latin words. */
export const hashOf = (word: string): number => {
  let hash = HASH_START
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if (!isAccented(code)) hash = hashStep(hash, lowerOther(code))
  }
  return hash
}

/** Of two words in a row, by their hashes. The lexicon writes them with `_` between. */
export const hashOfPair = (first: number, second: number): number => Math.imul(first, 31) ^ second

// An open-addressed table in two typed arrays, at most a third full: no allocation and about one probe per look-up.
export const SLOTS = 8192
const slotHash = new Int32Array(SLOTS)
const slotKind = new Int8Array(SLOTS).fill(-1)
/** As the second edition has it. */
const laterKind = new Int8Array(SLOTS)
/** The first edition that knows the word. */
const slotSince = new Uint8Array(SLOTS)

const enter = (words: string | undefined, kind: number, since: Edition): void => {
  for (const word of words?.trim().split(/\s+/) ?? []) {
    const [first, second] = word.split("_")
    const hash = second === undefined ? hashOf(word) : hashOfPair(hashOf(first!), hashOf(second))
    let slot = hash & (SLOTS - 1)
    while (slotKind[slot] !== -1 && slotHash[slot] !== hash) slot = (slot + 1) & (SLOTS - 1)
    if (slotKind[slot] !== -1) {
      if (since > slotSince[slot]!) laterKind[slot] = kind
      continue
    }
    slotHash[slot] = hash
    slotKind[slot] = laterKind[slot] = kind
    slotSince[slot] = since
  }
}
const words: Partial<Readonly<Record<WordKind, string>>> = wordsByKind
const abroad: Partial<Readonly<Record<WordKind, string>>> = elsewhere
const added: Partial<Readonly<Record<WordKind, string>>> = { ...addedWords, ...addedKinds }
// English first: where a word of another language is spelt like an English one, that one keeps it.
for (const [kind, name] of wordKinds.entries()) enter(words[name], kind, 1)
for (const [kind, name] of wordKinds.entries()) enter(abroad[name], kind, 1)
for (const [kind, name] of wordKinds.entries()) enter(added[name], kind, 2)

/** Where the lexicon keeps the word with this hash, -1 when no list of this edition has it. */
export const slotOfHash = (hash: number, edition: Edition = LATEST): number => {
  let slot = hash & (SLOTS - 1)
  while (slotKind[slot] !== -1 && slotHash[slot] !== hash) slot = (slot + 1) & (SLOTS - 1)
  return slotKind[slot] === -1 || slotSince[slot]! > edition ? -1 : slot
}

/** The index in `wordKinds` of the word in this slot. */
export const kindOfSlot = (slot: number, edition: Edition = LATEST): number =>
  (edition === 1 ? slotKind : laterKind)[slot]!
