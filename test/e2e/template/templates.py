"""Replaces intrinsic functions by the values that a deploy could produce."""

import json

# Starts and ends text that only a deploy knows: formats of such text are not checked.
UNKNOWN = "\ue000"
PSEUDO = {
    "AWS::AccountId": "123456789012",
    "AWS::Partition": "aws",
    "AWS::Region": "eu-west-1",
    "AWS::StackId": "arn:aws:cloudformation:eu-west-1:123456789012:stack/S/12345678-1234-1234-1234-123456789012",
    "AWS::StackName": "S" * 64,
    "AWS::URLSuffix": "amazonaws.com",
}


def is_known(value):
    return not isinstance(value, str) or UNKNOWN not in value


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def placeholder(name):
    return f"{UNKNOWN}{name}{UNKNOWN}"


def resolve(value):
    if isinstance(value, list):
        return [item for item in map(resolve, value) if item is not None]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        [(key, argument)] = value.items()
        if key == "Ref":
            return None if argument == "AWS::NoValue" else PSEUDO.get(argument) or placeholder(argument)
        if key == "Fn::GetAtt":
            return placeholder(".".join(argument) if isinstance(argument, list) else argument)
        if key == "Fn::Join":
            separator, parts = argument
            if isinstance(parts, list):
                return separator.join(part if isinstance(part, str) else compact(part) for part in resolve(parts))
        if key.startswith("Fn::"):
            # May be part of a JSON string, such as a dashboard.
            return placeholder(compact(argument).replace(UNKNOWN, "").replace('"', "'"))
    resolved = {key: resolve(item) for key, item in value.items()}
    return {key: item for key, item in resolved.items() if item is not None}


def resources_of(template, *types):
    """Yields ids and resolved properties."""
    for logical_id, resource in template["Resources"].items():
        if not types or resource["Type"] in types:
            yield logical_id, resolve(resource.get("Properties", {}))
