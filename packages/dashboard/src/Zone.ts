/** The zone in which times are shown and days are counted: the browser's, or UTC where somebody chose it. */
const NAME = "model-gateway-zone"

export const UTC = "UTC"

export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export const timeZone = localStorage.getItem(NAME) === UTC ? UTC : browserZone

/** All that is on the page was made in the other one. */
export const chooseZone = (zone: string): void => {
  if (zone === UTC) localStorage.setItem(NAME, UTC)
  else localStorage.removeItem(NAME)
  location.reload()
}
