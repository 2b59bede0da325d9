import { makeRoutedRequests } from "./RoutedRequestRows.ts"
import { orUnavailable } from "@model-gateway/gateway/internal/storage/sqlite/file/Reads"

export const routedRequests = makeRoutedRequests(orUnavailable)
