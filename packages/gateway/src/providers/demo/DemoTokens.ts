/** The demo models' idea of a token: a word of up to seven letters with the space before it, a sign, or white space. */

const TOKEN = / ?[\p{L}\p{N}]{1,7}| ?[^\s\p{L}\p{N}]|\s+/gu

/** The tokens of `text`, in order; joined they are `text`. */
export const tokensOf = (text: string): ReadonlyArray<string> => text.match(TOKEN) ?? []

/** Tokens of input of so many characters: four to a token, as a rule of thumb for real models has it. */
export const estimatedTokens = (characters: number): number => Math.ceil(characters / 4)
