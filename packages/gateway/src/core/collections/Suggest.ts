/** "Did you mean": the nearest of the names that would have been right. */
import { editDistance } from "./EditDistance.ts"

/** The nearest name: one that ends with `word` (`openai/gpt-5`), else one with at most a third of its letters changed. */
export const nearest = (word: string, names: Iterable<string>): string | undefined => {
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const name of names) {
    if (name.endsWith(`/${word}`)) return name
    if (Math.abs(name.length - word.length) >= bestDistance) continue
    const distance = editDistance(word, name)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

const MOST_LISTED = 20

/** `openai, vllm`; long lists end in how many more there are. */
export const listed = (names: Iterable<string>): string => {
  const all = [...names]
  if (all.length === 0) return "none"
  const more = all.length - MOST_LISTED
  return more <= 0 ? all.join(", ") : `${all.slice(0, MOST_LISTED).join(", ")} and ${more} more`
}

/** `; did you mean "openai"?` or nothing. */
export const didYouMean = (word: string, names: Iterable<string>): string => {
  const best = nearest(word, names)
  return best === undefined ? "" : `; did you mean ${JSON.stringify(best)}?`
}
