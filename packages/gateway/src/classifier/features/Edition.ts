/**
 * Features are counted as they were when a model was trained, or its weights would not fit: an edition changes nothing for the models
 * of those before it.
 */

/** 1: until November 2026. 2: Chinese, Japanese and Korean counted as long as they are, more words, years no quantities, material known by its shape. */
export type Edition = 1 | 2

export const LATEST: Edition = 2
