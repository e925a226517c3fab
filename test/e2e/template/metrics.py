"""Parses the expressions of alarms and dashboards, and looks up each metric in what services and our code publish."""

import json
import re
from pathlib import Path

from templates import is_known, resources_of

ROOT = Path(__file__).parents[3]

# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
SCALAR, SERIES, ARRAY = "a scalar", "a time series", "an array of time series"
WIDTHS = [SCALAR, SERIES, ARRAY]
# Functions by their result, each with the least and most arguments.
FUNCTIONS = {
    "the first argument": "ABS 1 1, CEIL 1 1, DIFF 1 1, DIFF_TIME 1 1, FILL 2 2, FLOOR 1 1, LOG 1 1, LOG10 1 1, "
    "RATE 1 1, REMOVE_EMPTY 1 1, RUNNING_SUM 1 1, SLICE 2 3, SORT 3 4",
    # A scalar from a time series, and a time series from an array.
    "a reduction": "AVG 1 1, DATAPOINT_COUNT 1 1, MAX 1 1, MIN 1 1, STDDEV 1 1, SUM 1 1",
    SCALAR: "METRIC_COUNT 1 1, PERIOD 1 1",
    SERIES: "DATE 1 1, DAY 1 1, EPOCH 1 1, FIRST 1 1, HOUR 1 1, IF 2 3, INSIGHT_RULE_METRIC 2 2, LAST 1 1, "
    "MINUTE 1 1, MONTH 1 1, SERVICE_QUOTA 1 1, TIME_SERIES 1 1, YEAR 1 1",
    ARRAY: "ANOMALY_DETECTION_BAND 1 2, METRICS 0 1, SEARCH 2 3",
}
SIGNATURES = {
    name: (result, int(least), int(most))
    for result, functions in FUNCTIONS.items()
    for name, least, most in (each.split() for each in functions.split(", "))
}
NOT_IN_ALARMS = {"SEARCH"}
WORDS = {"AVG", "MAX", "MIN", "SUM", "ASC", "DESC", "REPEAT", "LINEAR"}
TOKEN = re.compile(r"""\s*(?:(\d+\.?\d*|\.\d+)|([A-Za-z]\w*)|('[^']*'|"[^"]*")|(&&|\|\||[=!<>]=|[-+*/^<>(),\[\]]))""")
MAX_ALARM_METRICS = 10

# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-metrics-insights-querylanguage.html
NAME = r'(?:[A-Za-z_]\w*|"[^"]+")'
FUNCTION = r"(?:AVG|COUNT|MAX|MIN|SUM)"
QUERY = re.compile(
    rf"""SELECT\s+{FUNCTION}\(\s*(?P<metric>{NAME})\s*\)
    \s+FROM\s+(?:(?P<namespace>{NAME})|SCHEMA\(\s*(?P<schema>{NAME}(?:\s*,\s*{NAME})*)\s*\))
    (?:\s+WHERE\s+{NAME}\s*!?=\s*'[^']*'(?:\s+AND\s+{NAME}\s*!?=\s*'[^']*')*)?
    (?:\s+GROUP\s+BY\s+(?P<group>{NAME}(?:\s*,\s*{NAME})*)
      (?:\s+ORDER\s+BY\s+{FUNCTION}\(\)(?:\s+(?:ASC|DESC))?)?)?
    (?:\s+LIMIT\s+(?:[1-9]\d?|[1-4]\d\d|500))?\s*""",
    re.IGNORECASE | re.VERBOSE,
)

# Metric names and sets of dimensions of AWS, from the page of each service.
REQUESTS = [{"FunctionName"}, {"FunctionName", "Resource"}, {"FunctionName", "Resource", "ExecutedVersion"}, set()]
PER_TABLE = [{"TableName"}, {"TableName", "GlobalSecondaryIndexName"}]
PER_RULE = [{"RuleName"}, {"EventBusName", "RuleName"}]
PUBLISHED = {
    # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
    "AWS/ApiGateway": dict.fromkeys(
        ("4xx", "5xx", "Count", "DataProcessed", "IntegrationLatency", "Latency"), [{"ApiId"}, {"ApiId", "Stage"}]
    ),
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
    "AWS/DynamoDB": dict.fromkeys(
        ("ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", "ReadThrottleEvents", "WriteThrottleEvents"),
        PER_TABLE,
    ),
    # https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-monitoring.html
    "AWS/Events": dict.fromkeys(("FailedInvocations", "InvocationsFailedToBeSentToDlq"), PER_RULE),
    # https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
    "AWS/Lambda": dict.fromkeys(
        ("Duration", "Errors", "Invocations", "IteratorAge", "Throttles")
        # https://docs.aws.amazon.com/lambda/latest/dg/urls-monitoring.html
        + ("Url4xxCount", "Url5xxCount", "UrlRequestCount", "UrlRequestLatency"),
        REQUESTS,
    ),
    "AWS/Lambda/Web": {"HTTPResponseStatusClass5XX": [{"FunctionName", "EndpointName"}]},
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
    "AWS/SQS": dict.fromkeys(
        ("ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible", "NumberOfMessagesSent"), [{"QueueName"}]
    ),
}


class Expression:
    """A recursive descent parser that returns the type of an expression."""

    def __init__(self, text, ids, in_alarm):
        self.tokens, self.at, self.ids, self.in_alarm = [], 0, ids, in_alarm
        position = 0
        while text[position:].strip():
            match = TOKEN.match(text, position)
            if not match:
                raise ValueError(f"cannot read {text[position:]!r}")
            self.tokens.append((match.lastindex, match[match.lastindex]))
            position = match.end()

    def parse(self):
        kind = self.binary()
        if self.at < len(self.tokens):
            raise ValueError(f"unexpected {self.tokens[self.at][1]!r}")
        return kind

    def take(self, *texts):
        if self.at < len(self.tokens) and self.tokens[self.at][1] in texts:
            self.at += 1
            return True
        return False

    def expect(self, text):
        if not self.take(text):
            raise ValueError(f"{text!r} is missing")

    def binary(self):
        kind = self.operand()
        while self.take("+", "-", "*", "/", "^", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "AND", "OR"):
            other = self.operand()
            if kind == other == ARRAY:
                raise ValueError("an operator between two arrays")
            kind = max(kind, other, key=WIDTHS.index)
        return kind

    def operand(self):
        self.take("-")
        if self.take("("):
            kind = self.binary()
            self.expect(")")
            return kind
        if self.take("["):
            self.arguments("]")
            return ARRAY
        if self.at == len(self.tokens):
            raise ValueError("an operand is missing")
        group, text = self.tokens[self.at]
        self.at += 1
        if group == 2 and self.take("("):
            return self.call(text)
        if group in (1, 3) or text in WORDS:
            return SCALAR
        if group != 2:
            raise ValueError(f"unexpected {text!r}")
        if text not in self.ids:
            raise ValueError(f"{text} is not the id of a metric")
        return self.ids[text]

    def arguments(self, end):
        kinds = []
        while not self.take(end):
            if kinds:
                self.expect(",")
            kinds.append(self.binary())
        return kinds

    def call(self, name):
        kinds = self.arguments(")")
        if name not in SIGNATURES or self.in_alarm and name in NOT_IN_ALARMS:
            raise ValueError(f"{name} is not a function {'of alarms' if self.in_alarm else ''}")
        result, least, most = SIGNATURES[name]
        if not least <= len(kinds) <= most:
            raise ValueError(f"{name} takes {least} to {most} arguments")
        if result == "a reduction":
            return SCALAR if kinds[0] == SERIES else SERIES
        return kinds[0] if result == "the first argument" else result


def list_published(template):
    """Adds the metrics of our own code: of metric filters, and in the embedded metric format."""
    published = {namespace: dict(metrics) for namespace, metrics in PUBLISHED.items()}
    for _, filter in resources_of(template, "AWS::Logs::MetricFilter"):
        for each in filter["MetricTransformations"]:
            dimensions = {item["Key"] for item in each.get("Dimensions", [])}
            published.setdefault(each["MetricNamespace"], {}).setdefault(each["MetricName"], []).append(dimensions)
    embedded = [
        match
        for source in (*ROOT.glob("lib/**/*.ts"), *ROOT.glob("functions/**/*.ts"))
        for match in re.findall(r"Dimensions: \[\[\]\],\s*Metrics: \[\{ Name: '(\w+)'", source.read_text())
    ]
    for _, function in resources_of(template, "AWS::Lambda::Function"):
        namespace = function.get("Environment", {}).get("Variables", {}).get("METRICS_NAMESPACE")
        if namespace:
            published.setdefault(namespace, {}).update({name: [set()] for name in embedded})
    return published


def check_metrics(template):
    errors = []
    published = list_published(template)
    for logical_id, alarm in resources_of(template, "AWS::CloudWatch::Alarm"):
        queries = alarm.get("Metrics") or [{"Id": "m", "MetricStat": {"Metric": alarm}}]
        metrics = [query["MetricStat"]["Metric"] for query in queries if "MetricStat" in query]
        if len(metrics) > MAX_ALARM_METRICS:
            errors.append(f"{logical_id}: {len(metrics)} metrics, more than {MAX_ALARM_METRICS}")
        for metric in metrics:
            names = {item["Name"] for item in metric.get("Dimensions", [])}
            errors += check_metric(logical_id, metric["Namespace"], metric["MetricName"], names, published)
        if sum(query.get("ReturnData", True) for query in queries) != 1:
            errors.append(f"{logical_id}: exactly one query must return data")
        ids = {query["Id"]: SERIES for query in queries if "MetricStat" in query}
        for query in queries:
            if "Expression" in query:
                errors += check_expression(logical_id, query["Expression"], ids, published, in_alarm=True)
    for logical_id, dashboard in resources_of(template, "AWS::CloudWatch::Dashboard"):
        for widget in json.loads(dashboard["DashboardBody"])["widgets"]:
            errors += check_widget(logical_id, widget["properties"], published)
    return errors


def check_widget(logical_id, properties, published):
    where = f"{logical_id} {properties.get('title')}"
    rows = properties.get("metrics", [])
    ids = {option["id"]: SERIES for row in rows for option in row if isinstance(option, dict) and "id" in option}
    for row in rows:
        if isinstance(row[0], dict):
            yield from check_expression(where, row[0]["expression"], ids, published, in_alarm=False)
        else:
            # Namespace, name, then names and values of dimensions. CDK writes no abbreviations.
            namespace, name, *dimensions = [each for each in row if isinstance(each, str)]
            yield from check_metric(where, namespace, name, set(dimensions[::2]), published)


def check_metric(where, namespace, name, dimensions, published):
    if not is_known(namespace):
        return
    known = published.get(namespace, {}).get(name)
    if known is None:
        yield f"{where}: {namespace} publishes no metric {name}"
    elif dimensions not in known:
        yield f"{where}: {namespace} does not publish {name} by {sorted(dimensions)}"


def check_expression(where, text, ids, published, in_alarm):
    if text.lstrip().upper().startswith("SELECT"):
        yield from check_query(where, text, published)
        return
    try:
        kind = Expression(text, ids, in_alarm).parse()
    except ValueError as error:
        yield f"{where}: {text!r}: {error}"
        return
    if kind == SCALAR or in_alarm and kind == ARRAY:
        yield f"{where}: {text!r} returns {kind}"


def read_names(text):
    return [name.strip().strip('"') for name in (text or "").split(",") if name]


def check_query(where, text, published):
    match = QUERY.fullmatch(text)
    if not match:
        yield f"{where}: {text!r} is not a query by the grammar of Metrics Insights"
        return
    namespace, *labels = read_names(match["namespace"] or match["schema"])
    [metric] = read_names(match["metric"])
    known = published.get(namespace, {}).get(metric)
    if known is None:
        yield f"{where}: {namespace} publishes no metric {metric}"
    elif match["schema"] and set(labels) not in known:
        yield f"{where}: {namespace} does not publish {metric} by {labels}"
    elif not any(set(read_names(match["group"])) <= dimensions for dimensions in known):
        yield f"{where}: {namespace} does not publish {metric} by {match['group']}"
