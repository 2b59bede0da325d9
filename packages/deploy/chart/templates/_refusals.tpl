{{- /* Values that can't work, each with the reason and what to write instead. What a schema can say is in values.schema.json. */ -}}
{{- define "gateway.refusals" -}}
{{- $config := include "gateway.config" . | fromJson -}}

{{- if and (gt (int .Values.replicas) 1) (hasKey $config.store "sqlite") -}}
{{- fail "replicas: more than one gateway can't share a SQLite store: one process owns the file, and a second one would count budgets on its own. Leave replicas at 1 (the pod is back within seconds after a failure, with all keys and spending), or give config.store.postgres.url: any number works on one database." -}}
{{- end -}}

{{- if hasKey $config.store "postgres" -}}
{{- if not (contains "${" (toString (get $config.store.postgres "url"))) -}}
{{- fail "config.store.postgres.url: a password in the configuration would stand in a ConfigMap, which is no place for secrets. Write ${DATABASE_URL} there, and DATABASE_URL in a Secret of providerKeySecrets." -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.egress) -}}
{{- fail "networkPolicy.egress: none, and without a rule for it the gateway can't reach its Postgres. Give rules for the database and for the providers (HTTPS)." -}}
{{- end -}}
{{- end -}}

{{- if not (hasPrefix "${" $config.master_key) -}}
{{- fail "config.master_key: a key in the configuration would stand in a ConfigMap, which is no place for secrets. Leave it out: the chart makes one, or masterKey.existingSecret names the Secret that holds yours." -}}
{{- end -}}

{{- range $name, $provider := $config.providers -}}
{{- if kindIs "map" $provider -}}
{{- $keys := get $provider "api_key" -}}
{{- range (ternary $keys (list $keys) (kindIs "slice" $keys)) -}}
{{- if and . (not (eq (toString .) "none")) (not (hasPrefix "${" (toString .))) -}}
{{- fail (printf "config.providers.%s.api_key: a key in the configuration would stand in a ConfigMap, which is no place for secrets. Write ${NAME} there, and NAME in providerKeys or in a Secret of providerKeySecrets." $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- if not $config.providers -}}
{{- fail "config.providers: no provider. Give a key that the chart knows, such as --set providerKeys.OPENAI_API_KEY=…, or write providers and deployments under config (docs/configuration.md)." -}}
{{- end -}}

{{- if ne (int (dig "server" "port" 4100 $config)) 4100 -}}
{{- fail "config.server.port: inside the pod it is 4100. What others connect to is service.port." -}}
{{- end -}}

{{- if and (hasKey $config.store "sqlite") (not (hasPrefix "/data/" $config.store.sqlite)) -}}
{{- fail (printf "config.store.sqlite: %s is not on the volume: keys and spending would be gone with the pod. Leave it out, or name a file under /data/." $config.store.sqlite) -}}
{{- end -}}

{{- if and .Values.persistence.existingClaim (not .Values.persistence.enabled) -}}
{{- fail "persistence.existingClaim is given and persistence.enabled is false: say which of the two is meant." -}}
{{- end -}}

{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.hosts: none. Give at least one, such as --set ingress.hosts[0].host=gateway.example.com." -}}
{{- end -}}

{{- range $name, $_ := .Values.providerKeys -}}
{{- if eq $name "GATEWAY_MASTER_KEY" -}}
{{- fail "providerKeys.GATEWAY_MASTER_KEY: the master key has a Secret of its own: masterKey.existingSecret names it." -}}
{{- end -}}
{{- end -}}

{{- if and .Values.serviceMonitor.enabled (ne (dig "server" "metrics" "public" $config) "public") -}}
{{- fail (printf "serviceMonitor.enabled: config.server.metrics is %s, and the scraper has no key. Set it to public (networkPolicy keeps others away), or switch the monitor off." (dig "server" "metrics" "public" $config)) -}}
{{- end -}}
{{- end -}}
