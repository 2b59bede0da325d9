import { makeRoutedRequests } from "../../records/receipts/RoutedRequests.ts"
import { orUnavailable } from "../connection/Errors.ts"

export const routedRequests = makeRoutedRequests(orUnavailable)
