"""Checks each template in all regions that the service does not refuse, and the table of those that it refuses."""

import json

from cfnlint.api import lint
from service_models import SCHEMAS

REGIONS = sorted(path.stem for path in (SCHEMAS / "providers").glob("*-*.json"))
SERVERS = {"function-url": "AWS::Lambda::Url", "web-function": "AWS::Lambda::WebFunction"}
# The service refuses these, although cfn-lint has AWS::Lambda::Url for them.
# https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html
DOCUMENTED = {"cn-north-1", "eu-south-2"}
# W3005 reports a redundant DependsOn, which CDK adds for roles.
IGNORED = ["W3005"]


def check_regions(template):
    refused = template["Metadata"]["unsupportedRegions"]
    for server, kind in SERVERS.items():
        missing = {region for region in REGIONS if kind not in load_types(region)}
        for region in sorted(missing - set(refused[server])):
            yield f"{region} lacks {kind}, but regions.ts does not refuse {server} there"
        for region in sorted(set(refused[server]) - missing - DOCUMENTED):
            yield f"{region} has {kind}, but regions.ts refuses {server} there"
    types = {each["Type"] for each in template["Resources"].values()}
    server = next((name for name, kind in SERVERS.items() if kind in types), "function-url")
    regions = [region for region in REGIONS if region not in refused[server]]
    for match in lint(json.dumps(template), config={"regions": regions, "ignore_checks": IGNORED}):
        yield f"{'.'.join(map(str, match.path or []))}: {match.rule.id}: {match.message}"


def load_types(region):
    return json.loads((SCHEMAS / "providers" / f"{region}.json").read_text())
