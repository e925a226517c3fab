"""Compares each property with the shape of the operation to which CloudFormation passes it, and with its schema."""

import json
from functools import cache
from pathlib import Path

import botocore.session
import cfnlint
import regex
from jsonschema import Draft7Validator, ValidationError
from jsonschema.validators import extend
from templates import compact, is_known, resolve

SCHEMAS = Path(cfnlint.__file__).parent / "data/schemas"
REGION = "us-east-1"



def read_operations():
    """Returns operation, added members and renamed properties by type."""
    operations = {}
    for line in (Path(__file__).parent / "operations.txt").read_text().splitlines():
        if not line.startswith("#"):
            kind, operation, *rest = line.split()
            renames = dict(each.split("=") for each in rest if "=" in each)
            operations[kind] = (operation, {each[1:] for each in rest if "=" not in each}, renames)
    return operations


OPERATIONS = read_operations()
OWN = "-"

# Ranges that botocore only documents, because attributes are text.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
ATTRIBUTE_RANGES = {
    "DelaySeconds": (0, 900),
    "MaximumMessageSize": (1024, 1_048_576),
    "MessageRetentionPeriod": (60, 1_209_600),
    "ReceiveMessageWaitTimeSeconds": (0, 20),
    "VisibilityTimeout": (0, 43_200),
    "KmsDataKeyReusePeriodSeconds": (60, 86_400),
}


@cache
def load_service(name):
    return botocore.session.get_session().get_service_model(name)


def find_shape(path):
    operation, _, members = path.partition("/")
    service, name = operation.split(".")
    shape = load_service(service).operation_model(name).input_shape
    for member in filter(None, members.split(".")):
        shape = shape.members[member] if shape.type_name == "structure" else shape.member.members[member]
    return shape


def check_models(template):
    """Returns errors, and the number of values that were compared."""
    counts = {"values": 0}
    errors = []
    for logical_id, resource in template["Resources"].items():
        kind = resource["Type"]
        if kind not in OPERATIONS:
            errors.append(f"{logical_id}: {kind} has no line in operations.txt")
        elif OPERATIONS[kind][0] != OWN:
            properties = resolve(resource.get("Properties", {}))
            operation, added, renames = OPERATIONS[kind]
            Walk(added, renames, errors, counts).check(properties, find_shape(operation), f"{logical_id} {kind}")
            errors += check_registry(f"{logical_id} {kind}", kind, properties)
    return errors, counts["values"]


class Walk:
    def __init__(self, added, renames, errors, counts):
        self.added, self.renames, self.errors, self.counts = added, renames, errors, counts

    def check(self, value, shape, where):
        kind = shape.type_name
        # CloudFront: a list whose length CloudFormation adds.
        if isinstance(value, list) and kind == "structure" and "Items" in shape.members:
            value = {"Quantity": len(value), "Items": value}
        # Metric filter: a list of keys and values.
        if isinstance(value, list) and kind == "map":
            value = {item["Key"]: item["Value"] for item in value}
        # CloudFormation calls the operation for each item.
        if isinstance(value, list) and kind != "list":
            for index, item in enumerate(value):
                self.check(item, shape, f"{where}[{index}]")
        elif kind == "structure" and isinstance(value, dict):
            self.check_structure(value, shape, where)
        elif kind == "map" and isinstance(value, dict):
            self.check_map(value, shape, where)
        elif kind == "list":
            items = value if isinstance(value, list) else [value]
            if all(map(is_known, items)):
                check_range(len(items), shape, f"{where} (items)", self.errors)
            for index, item in enumerate(items):
                self.check(item, shape.member, f"{where}[{index}]")
        elif kind in ("structure", "map"):
            if is_known(value):
                self.errors.append(f"{where}: {value!r} is not an object")
        else:
            self.counts["values"] += 1
            check_scalar(value, shape, where, self.errors)

    def check_structure(self, value, shape, where):
        members = {name.lower(): name for name in shape.members}
        passed = {"Quantity"}
        for name, item in value.items():
            target = self.renames.get(name, name)
            if target == OWN:
                continue
            member = members.get(target.lower())
            if "." in target:
                self.check(item, find_shape(target), f"{where}.{name}")
            elif member is None:
                self.errors.append(f"{where}.{name}: {shape.name} has no such member")
            else:
                passed.add(member)
                self.check(item, shape.members[member], f"{where}.{name}")
        for name in shape.required_members:
            if name not in passed and name not in self.added:
                self.errors.append(f"{where}: {name} is required")

    def check_map(self, value, shape, where):
        check_range(len(value), shape, f"{where} (entries)", self.errors)
        for key, item in value.items():
            self.check(key, shape.key, f"{where}.{key} (key)")
            self.check(item, shape.value, f"{where}.{key}")
            if shape.key.name == "QueueAttributeName" and key in ATTRIBUTE_RANGES and is_known(item):
                low, high = ATTRIBUTE_RANGES[key]
                if not low <= int(item) <= high:
                    self.errors.append(f"{where}.{key}: {item} is not between {low} and {high}")


def check_range(size, shape, where, errors):
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and size < low:
        errors.append(f"{where}: {size} is less than {low}")
    if high is not None and size > high:
        errors.append(f"{where}: {size} is more than {high}")


def check_scalar(value, shape, where, errors):
    if not is_known(value):
        return
    kind = shape.type_name
    if kind in ("integer", "long", "float", "double"):
        try:
            check_range(float(value), shape, where, errors)
        except (TypeError, ValueError):
            errors.append(f"{where}: {value!r} is not a number")
    elif kind == "boolean":
        if value not in (True, False, "true", "false"):
            errors.append(f"{where}: {value!r} is not a boolean")
    elif kind in ("string", "blob"):
        text = value if isinstance(value, str) else compact(value)
        # Its length is that of a policy: quotas.py estimates it.
        if not is_known(text):
            return
        check_range(len(text), shape, f"{where} (length)", errors)
        if shape.metadata.get("enum") and text not in shape.metadata["enum"]:
            errors.append(f"{where}: {text!r} is not one of {', '.join(shape.metadata['enum'][:30])}")
        pattern = shape.metadata.get("pattern")
        if pattern and not regex.fullmatch(pattern, text):
            errors.append(f"{where}: {text[:80]!r} does not match {pattern}")


@cache
def load_registry():
    return json.loads((SCHEMAS / f"providers/{REGION}.json").read_text())


@cache
def load_schema(kind):
    return json.loads((SCHEMAS / f"resources/{load_registry()[kind]}.json").read_text())


def check_pattern(_, pattern, instance, __):
    if isinstance(instance, str) and not regex.search(pattern, instance):
        yield ValidationError(f"{instance[:80]!r} does not match {pattern}")


# `re` knows no classes such as \p{L}.
Validator = extend(Draft7Validator, {"pattern": check_pattern})


@cache
def load_validator(kind):
    return Validator(load_schema(kind))


def check_registry(where, kind, properties):
    for error in load_validator(kind).iter_errors(properties):
        if is_known(compact(error.instance)):
            yield f"{where}.{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"
