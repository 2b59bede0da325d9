/** Prompts that several tests of the router use, from the least to the most demanding kind. */

export const greetings = ["hi", "Hello!", "hey there", "Hello, how are you?", "thanks!", "Good morning"]

export const proof = String.raw`Let $f:\mathbb{R}\to\mathbb{R}$ be a continuous function such that $f(x+y)=f(x)+f(y)$ for all real numbers x and y.
Prove that $f(x)=cx$ for some constant c, and determine whether the conclusion still holds if f is only assumed to be measurable. Justify every step.`

export const competition = String.raw`Find the number of ordered triples of positive integers $(a,b,c)$ such that $a+b+c=2024$ and $\gcd(a,b)=\gcd(b,c)=1$.
If the number is $N$, compute the remainder when $N$ is divided by 1000.`

export const codeTask = `Implement a thread-safe LRU cache in TypeScript with a maximum size, a lifetime per entry and an async loader. Requirements:
- get(key) must return the cached value or call the loader at most once per key, even under concurrent calls
- entries must be evicted in least-recently-used order when the size is exceeded
- errors of the loader must not be cached

\`\`\`ts
export interface CacheOptions<K, V> {
  maxSize: number;
  ttlMs: number;
  load: (key: K) => Promise<V>;
}

export class LruCache<K, V> {
  private map = new Map<K, { value: V; expires: number }>();
  constructor(private options: CacheOptions<K, V>) {}

  async get(key: K): Promise<V> {
    const hit = this.map.get(key);
    if (hit && hit.expires > this.now()) return hit.value;
    const value = await this.options.load(key);
    this.map.set(key, { value, expires: this.now() + this.options.ttlMs });
    return value;
  }
}
\`\`\`
Explain the complexity of each operation and why your solution has no race.`

/** Shapes of text that are no use as prompts and arrive all the same. */
export const strange: Readonly<Record<string, string>> = {
  prototype: "__proto__ constructor toString hasOwnProperty",
  emoji: "👍🏽👩‍👩‍👧‍👦🎉",
  chinese: "请证明根号二是无理数,并解释每一步。",
  arabic: "ما هي عاصمة فرنسا؟",
  loneSurrogates: "\ud800\udc00\ud800 \udfff",
  controls: "\u0000\u0007\u001b[31m\r\r\r",
  oneWord: "x".repeat(10_000),
  onlyMarks: "}".repeat(7_000),
  onlyOptions: "A. \n".repeat(2_000),
  onlyNewlines: "\n".repeat(100) + "?",
  digits: "1,2.3".repeat(2_000)
}

/** So many sentences that ask for nothing. */
export const prose = (sentences: number): string =>
  Array.from(
    { length: sentences },
    (_, i) =>
      `In 19${50 + i} the council sent ${i + 2} men to count the readers, of whom ${i} were asleep; the report, which they wrote in three copies, was never sent.`
  ).join(" ")
