#!/usr/bin/env bash
# Commands of README.md and runbook.md. Usage: AWS_REGION=… STACK=… . infra/resources.sh

# zsh would pass a comment after a pasted command as arguments.
[ -z "${ZSH_VERSION:-}" ] || setopt interactive_comments

# Physical names of resources: resource TYPE PREFIX (of the logical id)
# In your own CDK app, set SERVICE to the id of the construct, only its letters and digits.
resource() { aws cloudformation list-stack-resources --stack-name "$STACK" --output text --query \
  "StackResourceSummaries[?ResourceType=='AWS::$1' && starts_with(LogicalResourceId, '${SERVICE:-}$2')].PhysicalResourceId"; }
# Value of an output of the stack: output NAME. In your own CDK app, requires the prop outputs.
output() { aws cloudformation describe-stacks --stack-name "$STACK" --output text --query \
  "Stacks[0].Outputs[?starts_with(OutputKey, '${SERVICE:-}$1')].OutputValue"; }
find_resources() {
  TABLE=$(output TableName) || return
  case $TABLE in '' | None) TABLE=$(resource DynamoDB::GlobalTable table) || return ;; esac
  ON_CHANGE=$(resource Lambda::Function changesonchange) || return
  PUBLISH_EVENTS=$(resource Lambda::Function eventspublishevents) || return     # empty unless events=on
  INDEX_PAGES=$(resource Lambda::Function pagesindexpages) || return
  [ -n "$ON_CHANGE" ]
}
find_resources || {
  # Commands must not use the resources of an earlier stack.
  unset TABLE ON_CHANGE PUBLISH_EVENTS INDEX_PAGES
  echo "Stopped: no service was found in the stack '$STACK'. Check the credentials, AWS_REGION, STACK and, in your own CDK app, SERVICE." >&2
  return 1
}

# The alarms that are not OK: state, time of its last change, name, description.
alarms() { aws cloudwatch describe-alarms --alarm-name-prefix "$STACK-${SERVICE:-}monitoring" --output text --query \
  "MetricAlarms[?StateValue!='OK'].[StateValue,StateTransitionedTimestamp,AlarmName,AlarmDescription]"; }
# State of the stack, time of its creation and of its last update.
last_deploy() { aws cloudformation describe-stacks --stack-name "$STACK" --output text --query \
  "Stacks[0].[StackStatus,CreationTime,LastUpdatedTime]"; }
# The time a number of minutes ago, in seconds since 1970: ago MINUTES
ago() { echo $(($(date +%s) - $1 * 60)); }
# Runs a CloudWatch Logs Insights query on a log group: insights GROUP MINUTES QUERY
insights() {
  local id answer state
  id=$(aws logs start-query --log-group-name "$1" --start-time "$(ago "$2")" --end-time "$(ago 0)" --query-string "$3" --query queryId --output text) || return
  while :; do
    answer=$(aws logs get-query-results --query-id "$id" --output json) || return
    state=$(jq -r .status <<<"$answer")
    case $state in
      Scheduled | Running) sleep 1 ;;
      Complete) break ;;
      *) echo "The query has the status $state. Repeat it for fewer minutes." >&2 && return 1 ;;
    esac
  done
  jq -r 'if .results == [] then "No line matches." else
    .results[] | map(select(.field != "@ptr") | "\(.field)=\(.value)") | join("  ") end' <<<"$answer"
}
# Queries the log of the functions: query MINUTES QUERY
query() { insights "$(resource Logs::LogGroup logs)" "$@"; }
# Queries the access log of the REST API: access MINUTES QUERY
access() { insights "$(resource Logs::LogGroup apiaccess)" "$@"; }
# The last 50 internal errors, and invocations that crashed, timed out or did not start: errors MINUTES
errors() { query "$1" 'filter level in ["ERROR", "FATAL"] or record.status in ["error", "timeout", "failure"]
  | sort @timestamp desc | limit 50
  | display @timestamp, @logStream, message.event, message.job, message.routeKey, message.path.0, message.requestId, message.error.name, message.error.message,
    message.errorType, message.errorMessage, message.error.errorMessage, record.phase, record.status, record.errorType'; }
# The ten callers with the most read units: top_callers MINUTES
top_callers() { query "$1" 'filter message.event = "request"
  | stats count() as requests, sum(message.readUnits) as reads, sum(message.writeUnits) as writes by message.caller | sort reads desc | limit 10'; }
# Queries for `aws cloudwatch get-metric-data`, of throttled reads and writes of table and index.
throttle_queries() { jq -n --arg table "$TABLE" '[("Read", "Write") as $kind | (null, "directory") as $index |
  { Id: "\($kind | ascii_downcase)\(if $index then "index" else "table" end)", MetricStat: { Period: 60, Stat: "Sum", Metric: { Namespace: "AWS/DynamoDB", MetricName: "\($kind)ThrottleEvents",
    Dimensions: ([{ Name: "TableName", Value: $table }] + if $index then [{ Name: "GlobalSecondaryIndexName", Value: $index }] else [] end) } } }]'; }
# The ten functions of the account with the highest values of a Lambda metric: by_function MAX|SUM METRIC MINUTES
by_function() { aws cloudwatch get-metric-data --start-time "$(ago "$3")" --end-time "$(ago 0)" --output text --query 'MetricDataResults[].[Label,max(Values)]' \
  --metric-data-queries "$(jq -n --arg select "SELECT $1($2) FROM SCHEMA(\"AWS/Lambda\", FunctionName) GROUP BY FunctionName ORDER BY $1() DESC LIMIT 10" \
    '[{ Id: "functions", Period: 60, Expression: $select }]')"; }
