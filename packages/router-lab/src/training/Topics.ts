/**
 * What a prompt is about, as a few numbers: latent semantic analysis of the words of the training prompts. Words that turn up in the
 * same prompts point the same way, so that trees can ask "is it of that kind?" without having seen each word.
 */
import { seededRandom } from "../SeededRandom.ts"
import { dot, type SparseRows } from "./SparseRidge.ts"

const ROUNDS = 4

/**
 * The `count` strongest directions of the rows, strongest first: for each the value of every bucket, times its scale already, for
 * `weigh`. By power iteration from a seeded start, so the same rows give the same directions.
 */
export const topicsOf = ({ rows, scales }: SparseRows, count: number, seed: number): ReadonlyArray<Float64Array> => {
  const random = seededRandom(seed)
  const width = scales.length
  let directions: ReadonlyArray<Float64Array> = Array.from({ length: count }, () =>
    Float64Array.from(scales, () => random() - 0.5)
  )
  for (let round = 0; round < ROUNDS; round++) {
    const folded = directions.map((direction) => direction.map((value, b) => value * scales[b]!))
    const next = directions.map(() => new Float64Array(width))
    for (const row of rows) {
      for (let topic = 0; topic < count; topic++) {
        const from = folded[topic]!
        const to = next[topic]!
        let sum = 0
        for (let k = 0; k < row.length; k++) sum += from[row[k]!]!
        sum /= row.length
        for (let k = 0; k < row.length; k++) to[row[k]!]! += sum
      }
    }
    directions = orthonormal(next.map((direction) => direction.map((value, b) => value * scales[b]!)))
  }
  return directions.map((direction) => direction.map((value, b) => value * scales[b]!))
}

/** Gram and Schmidt. A direction of nothing stays zero: fewer prompts than topics. */
const orthonormal = (directions: ReadonlyArray<Float64Array>): ReadonlyArray<Float64Array> => {
  const done: Array<Float64Array> = []
  for (const direction of directions) {
    const rest = Float64Array.from(direction)
    const size = Math.sqrt(dot(rest, rest))
    for (const other of done) {
      const shared = dot(rest, other)
      for (let i = 0; i < rest.length; i++) rest[i]! -= shared * other[i]!
    }
    const length = Math.sqrt(dot(rest, rest))
    done.push(length > 1e-9 * size ? rest.map((value) => value / length) : rest.fill(0))
  }
  return done
}
