/** Where a model is called. */

/**
 * The model is a part of the path, encoded: its name has a colon, and a profile's ARN has slashes. A signature counts it encoded once
 * more.
 */
export const modelPath = (model: string, action: string): string => `/model/${encodeURIComponent(model)}/${action}`
