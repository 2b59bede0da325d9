/**
 * What asks for something in courteous words. Beside a question they may be courtesy (“Could you help me? What is …”); where a message
 * has nothing else, they are what is asked.
 */

const asks = new RegExp(
  [
    // “Help me find a good doctor”, “wish my team a happy new year”, “could you say more”.
    "(?:^|(?<!let )\\bme (?:to )?|\\b(?:please|(?:can|could|will|would) you|(?:have|need|time|want|way) to) )(?:say|tell|ask|answer|reply|respond|find|give|get|be|do|know|think|love|stop|wish|thank)\\b(?! (?:you|ya|u)\\b)",
    "^(?:is (?:it|this|that|today)|was|should|will)\\b(?! you\\b)",
    // “A farewell message for my team”.
    "(?<!\\b(?:your|the|this|that|my|a|any|last) )\\bmessages?\\b",
    "(?:^|hello )world (?:in|with)\\b",
    // “Hi or hello”.
    "(?<!sir )\\b(?:or|oder|ou|или)\\b"
  ].join("|")
)
/** Whether a clause in courteous words and in lower case asks for something. */
export const asksFor = (clause: string): boolean => asks.test(clause)

const asksAbout = /^(?:is|are|am|do|did|was|will|would|could|can|should|may)\b/

/** Whether a clause in lower case that names those who talk is a question about them: “are you a bot”. */
export const asksAboutYou = (clause: string): boolean => asksAbout.test(clause)
