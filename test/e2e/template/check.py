"""
Checks templates, and that each check finds the fault that it is for: check.py <folder> [new baseline].
A new baseline is what later templates are compared with.
"""

import copy
import json
import sys
from collections import Counter
from pathlib import Path

from metrics import check_metrics
from policies import check_policies
from quotas import check_quotas
from regions import check_regions
from service_models import check_models
from upgrades import check_upgrade, list_resources, read_baselines, write_baseline


def main(folder, new_baseline=None):
    templates = {path.stem: json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))}
    if new_baseline:
        write_baseline(new_baseline, templates)
    errors, values = [], 0
    for variant, template in templates.items():
        found, count = check_models(template)
        values += count
        for check in (check_metrics, check_quotas, check_policies, check_regions):
            found += check(template)
        errors += [f"{variant}: {each}" for each in found]
    losses = Counter()
    for name, variants in read_baselines().items():
        for variant, before in variants.items():
            found, others = check_upgrade(before, templates.get(variant, {"Resources": {}}))
            errors += [f"{variant}, updated from {name}: {each}" for each in found]
            losses.update({f"{name}: {loss}": count for loss, count in others.items()})
    missed = list(list_missed_mutants(templates))
    for loss, count in sorted(losses.items()):
        print(f"updated from {loss} {count} times")
    print(f"{len(templates)} templates, {values} values compared, {len(MUTANTS)} faults planted")
    for each in [*errors, *missed]:
        print(each)
    return 1 if errors or missed else 0


def list_missed_mutants(templates):
    for name, (mutate, expected) in MUTANTS.items():
        template = copy.deepcopy(templates["everything"])
        before = list_resources(template)
        mutate(template)
        check = CHECKS[name.split(":")[0]]
        found = check(template, before)
        if not any(expected in each for each in found):
            yield f"No check found the planted fault {name!r}: expected {expected!r}, found {found[:3]}"


CHECKS = {
    "model": lambda template, _: check_models(template)[0],
    "metrics": lambda template, _: check_metrics(template),
    "quotas": lambda template, _: list(check_quotas(template)),
    "policies": lambda template, _: list(check_policies(template)),
    "regions": lambda template, _: list(check_regions(template)),
    "upgrade": lambda template, before: check_upgrade(before, template)[0],
}


def find(template, kind, has=""):
    """Returns the properties of the first resource of the type that has the text."""
    return next(
        each.setdefault("Properties", {})
        for each in template["Resources"].values()
        if each["Type"] == kind and has in json.dumps(each)
    )


def change(kind, has="", **properties):
    return lambda template: find(template, kind, has).update(properties)


def remove(kind, name):
    return lambda template: find(template, kind).pop(name)


def expression(text):
    """Replaces the expression of the alarm on API errors, which uses the ids errors and requests."""

    def mutate(template):
        metrics = find(template, "AWS::CloudWatch::Alarm", "errors / requests")["Metrics"]
        next(each for each in metrics if "Expression" in each)["Expression"] = text

    return mutate


def rename_widget_metric(template):
    dashboard = find(template, "AWS::CloudWatch::Dashboard")
    dashboard["DashboardBody"] = json.loads(json.dumps(dashboard["DashboardBody"]).replace("Invocations", "Calls"))


def add_metrics(template):
    metrics = find(template, "AWS::CloudWatch::Alarm", "METRICS()")["Metrics"]
    metric = next(each for each in metrics if "MetricStat" in each)
    metrics += [{**metric, "Id": f"more{index}"} for index in range(11)]


def add_statements(kind, name, count):
    def mutate(template):
        document = find(template, kind)[name]
        statement = {"Action": "s3:*", "Effect": "Allow", "Resource": "arn:aws:s3:::" + "a" * 60}
        document["Statement"] += [statement] * count

    return mutate


def add_resources(template):
    topics = {f"Topic{index}": {"Type": "AWS::SNS::Topic"} for index in range(500)}
    template["Resources"] |= topics


def change_schema(**keywords):
    def mutate(template):
        schema = find(template, "AWS::EventSchemas::Schema")
        schema["Content"] = json.dumps(json.loads(schema["Content"]) | keywords)

    return mutate


def add_statement(**statement):
    def mutate(template):
        find(template, "AWS::IAM::Policy")["PolicyDocument"]["Statement"].append({"Effect": "Allow", **statement})

    return mutate


def replace_resources(**resource):
    return lambda template: template.update(Resources={"New": resource})


def refuse(server, *regions):
    def mutate(template):
        template["Metadata"]["unsupportedRegions"][server] = list(regions)
        template["Resources"] = {}

    return mutate


def rename(kind):
    def mutate(template):
        resources = template["Resources"]
        logical_id = next(each for each in resources if resources[each]["Type"] == kind)
        resources["Renamed"] = resources.pop(logical_id)

    return mutate


TABLE = "AWS::DynamoDB::GlobalTable"
ALARM = "AWS::CloudWatch::Alarm"
FUNCTION = "AWS::Lambda::Function"
QUEUE = "AWS::SQS::Queue"
# Name of the check and fault: how to plant the fault, and a part of the message.
MUTANTS = {
    "model: a type without a line": (
        lambda template: template["Resources"].update(New={"Type": "AWS::MSK::Cluster"}),
        "AWS::MSK::Cluster has no line",
    ),
    "model: an unknown property": (change(FUNCTION, Memory=128), "Memory: CreateFunctionRequest has no such member"),
    "model: a missing property": (remove("AWS::Lambda::Url", "AuthType"), "AuthType is required"),
    "model: a value below its range": (change(FUNCTION, MemorySize=64), "MemorySize: 64.0 is less than 128"),
    "model: a value of an attribute": (change(QUEUE, MessageRetentionPeriod=1_209_601), "is not between"),
    "model: a name that is too long": (
        change("AWS::Events::EventBus", Name={"Fn::Join": ["-", ["S" * 192, {"Ref": "AWS::StackName"}]]}),
        "257 is more than 256",
    ),
    "model: another value than those listed": (change(FUNCTION, Architectures=["arm"]), "'arm' is not one of"),
    "model: a pattern": (change("AWS::Backup::BackupVault", BackupVaultName="a b"), "'a b' does not match"),
    "model: a replica": (
        lambda template: find(template, TABLE)["Replicas"][0].update(DeletionProtectionEnabled="on"),
        "'on' is not a boolean",
    ),
    "model: a value that only the registry restricts": (
        change("AWS::Logs::LogGroup", RetentionInDays=31),
        "RetentionInDays: 31 is not one of",
    ),
    "metrics: an unknown function": (expression("AVERAGE(errors)"), "AVERAGE is not a function"),
    "metrics: a missing argument": (expression("FILL(errors)"), "FILL takes 2 to 2 arguments"),
    "metrics: an unknown id": (expression("errors / calls"), "calls is not the id"),
    "metrics: a syntax error": (expression("100 * (errors / requests"), "')' is missing"),
    "metrics: several time series": (expression("FILL(METRICS(), 0)"), "returns an array of time series"),
    "metrics: a number": (expression("SUM(errors)"), "returns a scalar"),
    "metrics: a search": (expression("SEARCH('{AWS/Lambda} Errors', 'Sum')"), "SEARCH is not a function of alarms"),
    "metrics: a query with IN": (
        expression("SELECT MAX(Errors) FROM \"AWS/Lambda\" WHERE FunctionName IN ('a', 'b')"),
        "is not a query",
    ),
    "metrics: a query with OR": (
        expression("SELECT MAX(Errors) FROM \"AWS/Lambda\" WHERE FunctionName = 'a' OR FunctionName = 'b'"),
        "is not a query",
    ),
    "metrics: a query by a label that has no metric": (
        expression('SELECT MAX(Errors) FROM SCHEMA("AWS/Lambda", ApiId)'),
        "does not publish Errors by ['ApiId']",
    ),
    "metrics: an unpublished name": (change(ALARM, "IndexAgeSeconds", MetricName="IndexAge"), "no metric IndexAge"),
    "metrics: an unpublished dimension": (
        change(ALARM, "IndexAgeSeconds", Dimensions=[{"Name": "Route", "Value": "a"}]),
        "does not publish IndexAgeSeconds by ['Route']",
    ),
    "metrics: an unpublished name in a dashboard": (rename_widget_metric, "AWS/Lambda publishes no metric Calls"),
    "metrics: 11 metrics in an alarm": (add_metrics, "metrics, more than 10"),
    "quotas: 11 rollback alarms": (
        change(
            "AWS::CodeDeploy::DeploymentGroup",
            AlarmConfiguration={"Enabled": True, "Alarms": [{"Name": f"alarm{index}"} for index in range(11)]},
        ),
        "11 rollback alarms",
    ),
    "quotas: environment variables": (
        lambda template: find(template, FUNCTION, "TABLE_NAME")["Environment"]["Variables"].update(LONG="a" * 4096),
        "bytes of environment variables",
    ),
    "quotas: policies of a role": (add_statements("AWS::IAM::Policy", "PolicyDocument", 100), "bytes of role policies"),
    "quotas: a bucket policy": (
        add_statements("AWS::S3::BucketPolicy", "PolicyDocument", 200),
        "bytes of bucket policy",
    ),
    "quotas: a key policy": (add_statements("AWS::KMS::Key", "KeyPolicy", 300), "bytes of key policy"),
    "quotas: 501 resources": (add_resources, "resources, more than 500"),
    "quotas: a template of 1 MB": (
        lambda template: template.update(Metadata="a" * 1_000_000),
        "bytes, more than 1000000",
    ),
    "quotas: a schema of a later draft": (change_schema(properties={"id": {"const": 1}}), "'const' was unexpected"),
    "quotas: an invalid schema": (change_schema(exclusiveMinimum=1), "not JSON schema draft 4"),
    "policies: an unknown action": (add_statement(Action="dynamodb:ReadItem", Resource="*"), "UNKNOWN_ACTION"),
    "policies: a resource of another service": (
        add_statement(Action="sqs:SendMessage", Resource="arn:aws:sns:eu-west-1:123456789012:name"),
        "RESOURCE_MISMATCH",
    ),
    "policies: a condition that the action lacks": (
        add_statement(
            Action="sqs:SendMessage", Resource="*", Condition={"StringEquals": {"dynamodb:LeadingKeys": "a"}}
        ),
        "UNKNOWN_CONDITION_FOR_ACTION",
    ),
    "regions: a type that some regions lack": (
        replace_resources(Type="AWS::IVS::Channel"),
        "'AWS::IVS::Channel' does not exist in 'eu-west-3'",
    ),
    "regions: an error of cfn-lint": (
        replace_resources(Type=QUEUE, Properties={"Delay": 1}),
        "'Delay' was unexpected",
    ),
    "regions: a region that is not refused": (refuse("function-url"), "mx-central-1 lacks AWS::Lambda::Url"),
    "regions: a region that is refused without need": (
        refuse("web-function", "us-east-1"),
        "us-east-1 has AWS::Lambda::WebFunction",
    ),
    "upgrade: a table with another logical id": (rename(TABLE), f"{TABLE} would be deleted"),
    "upgrade: a table with another name": (change(TABLE, TableName="other"), f"{TABLE} would be replaced"),
    "upgrade: a pool with other names": (
        change("AWS::Cognito::UserPool", UsernameAttributes=["phone_number"]),
        "AWS::Cognito::UserPool would be replaced",
    ),
    "upgrade: a bucket less": (rename("AWS::S3::Bucket"), "AWS::S3::Bucket would be deleted"),
    "upgrade: a pool with another logical id": (
        rename("AWS::Cognito::UserPool"),
        "AWS::Cognito::UserPool would be deleted",
    ),
}

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
