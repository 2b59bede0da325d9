/** Words that the documents, the help and the dashboard don't use, each with the word to use instead. */

interface Listed {
  readonly word: RegExp
  readonly instead: string
}

export const wordList: ReadonlyArray<Listed> = [
  { word: /\b(?:the house|rooms|corridors?)\b/i, instead: "architecture, module, package or folder" },
  { word: /\bfaces\b/i, instead: "interfaces, or the thing itself" },
  { word: /\b(?:books|booked|booking)\b|\bin a book\b/i, instead: "the ledger, recorded, charged" },
  { word: /\b(?:told|tells?)\b/i, instead: "reported, notified, returns, says" },
  { word: /\bheld\b|\bholds? (?:the )?money\b/i, instead: "reserved, a reservation" },
  { word: /\bowed\b/i, instead: "pending, unsettled" },
  { word: /\bwhose bill\b|\bbills?\b(?= (?:of(?! materials)|by) )|'s bills?\b/i, instead: "the provider's charge" },
  { word: /\bgone\b|\bdepartures?\b|\bhang(?:s|ing)? up\b|\bhung up\b/i, instead: "disconnect, disconnected" },
  { word: /\bask(?:s|ed|ing)?\b/i, instead: "call, called, attempt, request" },
  { word: /\banswer(?:s|ed|ing)?\b/i, instead: "response, respond" },
  { word: /\bkeys? that may\b/i, instead: "a key allowed to" },
  { word: /\b(?:who is short|short shares)\b/i, instead: "a process that needs quota" },
  { word: /\b(?:pots?|quota shares)\b/i, instead: "quota lease, leased quota" },
  { word: /\b(?:crew|hiring)\b/i, instead: "worker pool, workers" },
  { word: /\bturns? of the (?:event )?loop\b/i, instead: "event-loop iteration" },
  { word: /\bat once\b|\bin a moment\b|\ba moment\b/i, instead: "immediately, within N ms, concurrently" },
  { word: /\b(?:nobody|somebody|whoever|everybody)\b/i, instead: "name the actor" },
  { word: /\bwhole (?:answers?|responses?)\b/i, instead: "complete (non-streamed) response" },
  { word: /\bplain (?:requests?|calls?|ones?)\b/i, instead: "non-streaming request" },
  { word: /\b(?:out of|in|into) rotation\b/i, instead: "disabled, enabled" },
  { word: /\bby lot\b/i, instead: "at random" },
  { word: /\bborn old\b/i, instead: "allocated in old space" },
  { word: /\bdear(?:er|est)?\b/i, instead: "expensive, most expensive" },
  { word: /\b(?:not|is|are) well\b/i, instead: "healthy, unhealthy" },
  { word: /\b(?:come|comes|came) in with\b/i, instead: "authenticate with" },
  { word: /\bis like that\b/i, instead: "matches" }
]
