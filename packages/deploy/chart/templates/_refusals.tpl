{{- /* Values that can't work, each with the reason and what to write instead. What a schema can say is in values.schema.json. */ -}}

{{- /* Secrets in the configuration file: it is a ConfigMap. Arguments: path, name of the field, value. */ -}}
{{- define "gateway.noSecrets" -}}
{{- $path := .path -}}
{{- $name := .name -}}
{{- $value := .value -}}
{{- $instead := "a secret in the configuration would stand in a ConfigMap, which is no place for secrets. Write ${NAME} here, and put NAME into a Secret of providerKeySecrets." -}}
{{- if kindIs "map" $value -}}
{{- range $key, $inner := $value -}}
{{- $inside := ternary (printf "header:%s" $key) $key (eq $name "headers") -}}
{{- include "gateway.noSecrets" (dict "path" (printf "%s.%s" $path $key) "name" $inside "value" $inner) -}}
{{- end -}}
{{- else if kindIs "slice" $value -}}
{{- range $index, $inner := $value -}}
{{- include "gateway.noSecrets" (dict "path" (printf "%s[%d]" $path $index) "name" $name "value" $inner) -}}
{{- end -}}
{{- else if and (kindIs "string" $value) $value (not (regexMatch "^\\$\\{[^}]+\\}$" $value)) -}}
{{- if and (regexMatch "(?i)^(key|secret|password|token|.*_(key|keys|secret|password|token))$" $name) (ne $value "none") -}}
{{- fail (printf "%s: %s" $path $instead) -}}
{{- else if regexMatch "(?i)^header:.*(auth|key|token|secret|cookie|credential)" $name -}}
{{- fail (printf "%s: %s" $path $instead) -}}
{{- else if and (hasPrefix "config.alerts" $path) (or (eq $name "url") (eq $name "webhook")) -}}
{{- fail (printf "%s: the address of a webhook often holds its token, and this would stand in a ConfigMap. Write ${NAME} here, and put NAME into a Secret of providerKeySecrets." $path) -}}
{{- else if regexMatch "://[^/@\\s]*:[^/@\\s$]+@|[?&](password|token|key|secret|api_key)=[^$&]" $value -}}
{{- fail (printf "%s: a password in this address would stand in a ConfigMap. Write ${NAME} in its place, and put NAME into a Secret of providerKeySecrets." $path) -}}
{{- else if and (eq $name "credentials") (hasPrefix "{" (trim $value)) -}}
{{- fail (printf "%s: %s" $path $instead) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gateway.refusals" -}}
{{- $config := include "gateway.config" . | fromJson -}}
{{- $isPostgres := hasKey $config.store "postgres" -}}

{{- if and (or (gt (int .Values.replicas) 1) .Values.autoscaling.enabled) (not $isPostgres) -}}
{{- fail "replicas, autoscaling: more than one gateway can't share a SQLite store: one process owns the file. Leave replicas at 1 (the pod is back within seconds after a failure, with all keys and spending), or set config.store.postgres.url: any number of gateways works on one database." -}}
{{- end -}}

{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- fail (printf "autoscaling.minReplicas: %d is more than maxReplicas, %d." (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- end -}}

{{- if and $isPostgres (not (contains "${" (toString $config.store.postgres.url))) -}}
{{- fail "config.store.postgres.url: a password in the configuration would stand in a ConfigMap, which is no place for secrets. Write ${DATABASE_URL} there, and DATABASE_URL in a Secret of providerKeySecrets." -}}
{{- end -}}

{{- include "gateway.noSecrets" (dict "path" "config" "name" "" "value" $config) -}}

{{- if not $config.providers -}}
{{- fail "config.providers: no provider. Give a key that the chart knows, such as --set providerKeys.OPENAI_API_KEY=…, or write providers and deployments under config (docs/configuration.md)." -}}
{{- end -}}

{{- if ne (int $config.server.port) 4100 -}}
{{- fail "config.server.port: inside the pod it is 4100. Clients connect to service.port." -}}
{{- end -}}

{{- if ne (int (default 0 $config.server.admin_port)) (ternary 4101 0 .Values.adminPort.enabled) -}}
{{- fail "config.server.admin_port: inside the pod it is 4101. adminPort.enabled: false serves everything on one port." -}}
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

{{- $public := include "gateway.publicPath" . -}}
{{- if .Values.ingress.enabled -}}
{{- range .Values.ingress.hosts -}}
{{- if ne (default "/" .path | trimSuffix "/") $public -}}
{{- fail (printf "ingress.hosts: %s has the path %s, the first host %s. The gateway has one path (config.server.public_path): use the same for all hosts." .host (default "/" .path) (default "/" $public)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- if hasKey .Values.providerKeys "GATEWAY_MASTER_KEY" -}}
{{- fail "providerKeys.GATEWAY_MASTER_KEY: the master key has a Secret of its own: masterKey.existingSecret names it." -}}
{{- end -}}

{{- if and .Values.serviceMonitor.enabled (eq (toString $config.server.metrics) "off") -}}
{{- fail "serviceMonitor.enabled: config.server.metrics is off. Leave it out (the ServiceMonitor then sends the master key), or set it to public." -}}
{{- end -}}

{{- range $name, $_ := .Values.podLabels -}}
{{- if or (hasKey (include "gateway.selector" $ | fromYaml) $name) (hasKey $.Values.commonLabels $name) -}}
{{- fail (printf "podLabels.%s: the chart sets this label, and selects the pods by it or by commonLabels. Choose another name." $name) -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := .Values.commonLabels -}}
{{- if regexMatch "^(app\\.kubernetes\\.io/(name|instance|version|managed-by|component)|helm\\.sh/chart)$" $name -}}
{{- fail (printf "commonLabels.%s: the chart sets this label. Choose another name." $name) -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := .Values.podAnnotations -}}
{{- if hasPrefix "checksum/" $name -}}
{{- fail (printf "podAnnotations.%s: the chart sets the checksum/ annotations, so that a changed configuration restarts the pods. Choose another name." $name) -}}
{{- end -}}
{{- end -}}

{{- $disk := get (default dict .Values.resources.limits) "ephemeral-storage" -}}
{{- if and $disk (gt (include "gateway.mebibytes" (include "gateway.temporaryStorage" .) | int64) (include "gateway.mebibytes" $disk | int64)) -}}
{{- fail (printf "temporaryStorage: %s is more than resources.limits.ephemeral-storage, %s: the pod would be evicted before /tmp is full. Leave it out, or raise the limit." (include "gateway.temporaryStorage" .) $disk) -}}
{{- end -}}
{{- end -}}
