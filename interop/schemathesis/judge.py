"""Reads the reports of schemathesis and holds each against differences.toml.

It fails if a report is in no row, if a row explains none, and if a run did not do what
./check is for: call each operation in each phase, follow links, and be refused without
a token, and with a wrong one, by each operation that asks for one.
"""

import base64
import collections
import json
import pathlib
import re
import sys
import tomllib

PHASES = ["examples", "coverage", "fuzzing", "stateful"]

# The token lacks the scope that this operation asks for, so it answers nothing but 403.
FORBIDDEN = {"DELETE /sinks/{id}"}


def main(token, times, paths):
    rows = tomllib.loads(pathlib.Path("differences.toml").read_text())["differences"]
    for row in rows:
        unknown = row.keys() - {"check", "versions", "operation", "says", "answer", "elsewhere", "rare", "why"}
        if unknown or not row.get("why"):
            sys.exit(f"FAILED: a row has no reason, or members that nobody reads: {row}")
    explained = [0] * len(rows)
    wrong, kinds = [], set()  # one report of each kind is enough to read
    for path in paths:
        run = Run(path)
        wrong += run.shortcomings(token)
        for report in run.reports():
            found = [i for i, row in enumerate(rows) if explains(row, report)]
            for i in found[:1]:
                explained[i] += 1
            if not found and report.kind() not in kinds:
                kinds.add(report.kind())
                wrong.append(report.text())
        print(run.summary())
    for row, n in zip(rows, explained):
        if n == 0 and not (row.get("rare") and times < 10):
            wrong.append(f"no report is explained by this row any more: {row}")
    for text in wrong[:10]:
        print(f"FAILED: {text}\n")
    if wrong:
        sys.exit(f"FAILED: {len(wrong)} findings")
    print(f"ok: {sum(explained)} reports, all of them explained by the {len(rows)} rows of differences.toml")


def explains(row, report):
    """Reports whether all that a row asks for is so."""
    return (
        row["check"] == report.check
        and report.version in row.get("versions", [report.version])
        and re.fullmatch(row.get("operation", ".*"), report.operation) is not None
        and re.search(row.get("says", ""), report.says) is not None
        and re.search(row.get("answer", ""), report.answer) is not None
        and (not row.get("elsewhere") or report.elsewhere())
    )


class Run:
    """One run of schemathesis: its events, its summary, and the document that it read."""

    def __init__(self, path):
        path = pathlib.Path(path)
        self.name = path.stem
        self.document = json.loads(path.with_suffix(".json").read_text())
        self.run = json.loads(path.with_suffix(".run.json").read_text())
        events = [json.loads(line) for line in path.read_text().splitlines()]
        self.scenarios = [e["ScenarioFinished"] for e in events if "ScenarioFinished" in e]
        self.errors = [e for e in events if "NonFatalError" in e or "FatalError" in e or "Interrupted" in e]

    def interactions(self):
        for scenario in self.scenarios:
            recorder = scenario["recorder"]
            for id, interaction in recorder.get("interactions", {}).items():
                yield scenario["phase"], recorder["cases"].get(id), interaction

    def reports(self):
        """Yields what schemathesis holds against the service, one violation at a time."""
        for scenario in self.scenarios:
            recorder = scenario["recorder"]
            for id, checks in recorder.get("checks", {}).items():
                for check in checks:
                    if check["status"] == "success":
                        continue
                    case, interaction = recorder["cases"][id]["value"], recorder["interactions"][id]
                    yield from Report(self, scenario["phase"], case, interaction, check).split()

    def shortcomings(self, token):
        """Says what the run left out."""
        operations, phases = self.run["operations"], self.run["phases"]
        if operations["tested"] != operations["total"] or self.errors or self.run["errors"] or not self.run["complete"]:
            yield f"{self.name}: not everything was tested: {operations} {self.errors} {self.run['errors']}"
        for name in PHASES:
            if phases[name]["status"] not in ("success", "failure"):
                yield f"{self.name}: the phase {name} was not run: {phases[name]}"
        forbidden = FORBIDDEN if self.name.startswith("guarded-sink") else set()
        # An ID that is random is seldom there: missing_test_data says nothing of the service.
        warnings = {k: v for k, v in self.run["warnings"].items() if v and k != "missing_test_data"}
        if warnings != ({"missing_auth": sorted(forbidden)} if forbidden else {}):
            yield f"{self.name}: warnings: {warnings}"
        if missing := forbidden - self.answered(lambda status, sent: status == 403 and sent == ["Bearer " + token]):
            yield f"{self.name}: no 403 for want of a scope was seen from {sorted(missing)}"
        if not self.followed():
            yield f"{self.name}: the stateful phase followed no link"
        asking = {name for name, operation in self.operations() if self.asks(operation)}
        if missing := asking - forbidden - self.answered(lambda status, sent: status == 401 and not sent):
            yield f"{self.name}: no 401 without a token was seen from {sorted(missing)}"
        if missing := asking - forbidden - self.answered(lambda status, sent: status == 401 and sent and sent != ["Bearer " + token]):
            yield f"{self.name}: no 401 with a wrong token was seen from {sorted(missing)}"
        # Schemathesis sends its token wherever one counts, so nothing is said of {} beside a scheme.
        open = {name for name, operation in self.operations() if not self.security(operation)}
        if missing := open - self.answered(lambda status, sent: 200 <= status < 300 and not sent):
            yield f"{self.name}: no call without a token was served by {sorted(missing)}, which ask for none"

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield f"{method.upper()} {path}", operation

    def asks(self, operation):
        """Reports whether an operation needs a token: one that is public takes none as well."""
        security = self.security(operation)
        return bool(security) and {} not in security

    def security(self, operation):
        return operation.get("security", self.document.get("security"))

    def answered(self, was):
        """Returns the operations that gave an answer of which was(status, token sent) is so."""
        return {
            f"{case['value']['method']} {case['value']['path']}"
            for _, case, interaction in self.interactions()
            if case and (response := interaction.get("response"))
            if was(response["status_code"], interaction["request"]["headers"].get("Authorization"))
        }

    def followed(self):
        """Returns how often the stateful phase went on with what an answer had."""
        return sum(1 for phase, case, _ in self.interactions() if phase == "stateful" and case and case["is_transition_applied"])

    def summary(self):
        calls = collections.Counter(phase for phase, _, _ in self.interactions())
        asking = sum(1 for _, operation in self.operations() if self.asks(operation))
        return (
            f"{self.name}: {self.run['operations']['tested']} operations, "
            + ", ".join(f"{calls[name]} {name}" for name in PHASES)
            + f" ({self.followed()} by a link)"
            + (f", {asking} operations ask for a token" if asking else "")
            + f", {self.run['running_time']:.0f} s"
        )


class Report:
    """What one check of schemathesis holds against one answer."""

    def __init__(self, run, phase, case, interaction, check):
        failure = check.get("failure_info", {}).get("failure", {})
        self.run, self.phase, self.case, self.interaction = run, phase, case, interaction
        self.version = ".".join(run.document["openapi"].split(".")[:2])
        self.check = check["name"]
        self.operation = failure.get("operation") or f"{case['method']} {case['path']}"
        self.says = f"{failure.get('title')}\n{failure.get('message')}"
        response = interaction["response"]
        self.answer = f"{response['status_code']} {body(response)}" if response else "none"

    def split(self):
        """Returns a report for each violation of the answer, if it has some: a row
        must not explain one by another."""
        if self.check == "positive_data_acceptance" and self.answer.startswith("400 "):
            answer = json.loads(self.answer[4:])
            details = answer.get("error", answer).get("details", {})
            for violation in details.get("violations", []):
                one = Report.__new__(Report)
                one.__dict__ = self.__dict__ | {"answer": "400 {in} {path} {rule}: {message}".format(**violation)}
                yield one
            if details.get("violations"):
                return
        yield self

    def elsewhere(self):
        """Reports whether the methods in question belong to another path of the
        document that the path of the request matches too, such as /todos/{id}."""
        allowed = {"OPTIONS"} if self.check == "allow_header_conformance" else set()
        for path, item in self.run.document["paths"].items():
            if re.fullmatch(re.sub(r"\\\{.*?\\\}", "[^/]+", re.escape(path)), self.case["path"]):
                allowed |= {method.upper() for method in item}
        if "GET" in allowed:
            allowed.add("HEAD")
        if self.check == "allow_header_conformance":
            return {m.strip() for m in self.interaction["response"]["headers"]["allow"][0].split(",")} <= allowed
        return self.case["method"] in allowed

    def kind(self):
        return self.check, self.operation, self.says.splitlines()[-1][-60:], self.answer[:60]

    def text(self):
        request = self.interaction["request"]
        lines = [
            f"{self.run.name}, {self.phase}, {self.check}: {self.operation}",
            self.says,
            f"{request['method']} {request['uri']} {request['headers']}"[:1000],
            body(request)[:1000],
            self.answer[:1000],
            str(self.case.get("meta"))[:600],
        ]
        return "\n    ".join(line for line in lines if line)


def body(message):
    """Returns the body of a request or of a response as text."""
    content = message.get("body") or message.get("content") or {}
    return base64.b64decode(content.get("$base64", "")).decode(errors="replace") if isinstance(content, dict) else str(content)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
