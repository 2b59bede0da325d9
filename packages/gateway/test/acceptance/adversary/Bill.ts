/** What a provider asks for what was used: prices as vendors publish them, added up in whole pico-USD and rounded once, half up. */

/** What one call used, in classes that do not overlap. */
export interface Used {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly audioInput: number
  /** Reasoning is part of it, audio is not. */
  readonly output: number
  readonly reasoning: number
  readonly audioOutput: number
  readonly searches: number
}

export const nothing: Used = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  audioInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
  searches: 0
}

/** USD per million tokens; `search`: USD a call. */
export interface Prices {
  readonly input: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly output: number
  readonly audioInput?: number
  readonly audioOutput?: number
  readonly search?: number
}

/** Nano-USD. */
export const billOf = (used: Used, rates: Prices): number => {
  const pico =
    used.input * perToken(rates.input) +
    used.cachedInput * perToken(rates.cachedInput ?? rates.input) +
    used.cacheWrite * perToken(rates.cacheWrite ?? rates.input) +
    used.audioInput * perToken(rates.audioInput ?? rates.input) +
    used.output * perToken(rates.output) +
    used.audioOutput * perToken(rates.audioOutput ?? rates.output) +
    used.searches * Math.round((rates.search ?? 0) * 1e12)
  return Math.floor((pico + 500) / 1000)
}

const perToken = (usdPerMillion: number): number => Math.round(usdPerMillion * 1e6)
