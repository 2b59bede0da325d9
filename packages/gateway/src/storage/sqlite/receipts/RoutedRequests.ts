import { makeRoutedRequests } from "../../records/receipts/RoutedRequests.ts"
import { orUnavailable } from "../file/Reads.ts"

export const routedRequests = makeRoutedRequests(orUnavailable)
