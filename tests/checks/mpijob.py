#!/usr/bin/env python3
"""docs/deploy/drover-cluster-mpijob.yaml is a job that the MPI Operator accepts: kubeflow.org/v2beta1 as its types and its validation have it, of
which SCHEMA holds what a job like ours has, in our words. Its words start drover-cluster-run as the program takes them, and what it names is there.

Needs python3-yaml and python3-jsonschema; skipped (exit code 77) without them.
"""

import copy
import pathlib
import sys

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"SKIP: not installed: python3-{error.name}")
    sys.exit(77)

PATH = pathlib.Path(__file__).resolve().parents[2] / "docs/deploy/drover-cluster-mpijob.yaml"


def closed(required, **properties):
    """An object that has no other members: kubectl refuses unknown ones."""
    return {"type": "object", "required": required.split(), "properties": properties, "additionalProperties": False}


NAME = {"type": "string", "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 54}  # and "-worker-N" for the name of a pod
TEXT = {"type": "string", "minLength": 1}
WORDS = {"type": "array", "items": {"type": "string"}}
QUANTITY = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?(m|[kMGTPE]i?)?$"}
AMOUNTS = {"type": "object", "properties": {"cpu": QUANTITY, "memory": QUANTITY}, "additionalProperties": False}
COUNT = {"type": "integer", "minimum": 0}
CONTAINER = closed("name image", name=NAME, image=TEXT, command=WORDS, args=WORDS, resources=closed("", requests=AMOUNTS, limits=AMOUNTS),
                   ports={"type": "array", "items": closed("containerPort", containerPort={"type": "integer", "minimum": 1, "maximum": 65535})},
                   volumeMounts={"type": "array", "items": closed("name mountPath", name=NAME, mountPath={"type": "string", "pattern": "^/[^:]*$"},
                                                                  readOnly={"type": "boolean"})})
VOLUME = {**closed("name", name=NAME, persistentVolumeClaim=closed("claimName", claimName=NAME), secret=closed("secretName", secretName=NAME)),
          "minProperties": 2, "maxProperties": 2}
POD = closed("containers", containers={"type": "array", "minItems": 1, "items": CONTAINER}, volumes={"type": "array", "items": VOLUME})


def replica(**replicas):
    return closed("replicas restartPolicy template", replicas={"type": "integer", **replicas}, restartPolicy={"enum": ["Never", "OnFailure"]},
                  template=closed("spec", spec=POD))


SCHEMA = closed(
    "apiVersion kind metadata spec", apiVersion={"const": "kubeflow.org/v2beta1"}, kind={"const": "MPIJob"}, metadata=closed("name", name=NAME),
    spec=closed("mpiReplicaSpecs", slotsPerWorker=COUNT, mpiImplementation={"enum": ["OpenMPI", "Intel", "MPICH"]}, sshAuthMountPath=TEXT,
                launcherCreationPolicy={"enum": ["AtStartup", "WaitForWorkersReady"]},
                runPolicy=closed("", cleanPodPolicy={"enum": ["None", "Running", "All"]}, backoffLimit=COUNT, ttlSecondsAfterFinished=COUNT,
                                 activeDeadlineSeconds=COUNT, suspend={"type": "boolean"}),
                mpiReplicaSpecs=closed("Launcher", Launcher=replica(const=1), Worker=replica(minimum=1))))


def mistakes_of(documents):
    """What the operator or the program would refuse."""
    job = documents[-1]
    found = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(job)]
    if found:
        return found
    claims = {document["metadata"]["name"] for document in documents if document["kind"] == "PersistentVolumeClaim"}
    for role, spec in job["spec"]["mpiReplicaSpecs"].items():
        pod = spec["template"]["spec"]
        volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
        mounts = [mount for container in pod["containers"] for mount in container.get("volumeMounts", [])]
        found += [f"{role}: no volume {mount['name']}" for mount in mounts if mount["name"] not in volumes]
        named = [volume["persistentVolumeClaim"]["claimName"] for volume in volumes.values() if "persistentVolumeClaim" in volume]
        found += [f"{role}: no claim {name}" for name in named if name not in claims]
        state = pod["containers"][0].get("args", [])
        if role == "Launcher" and not any("--state" in state and state[state.index("--state") + 1].startswith(f"{mount['mountPath']}/") for mount in mounts):
            found.append("Launcher: --state is on no volume")
    launcher = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    if launcher.get("command") != ["drover-cluster-run"] or launcher["args"][0] != "mpirun" or "drover-cluster" not in launcher["args"]:
        found.append("Launcher: its words do not start drover-cluster-run mpirun ... drover-cluster")
    return found


def spoiled(documents, change):
    other = copy.deepcopy(documents)
    change(other[-1]["spec"], other[-1]["spec"]["mpiReplicaSpecs"])
    return other


def main():
    documents = list(yaml.safe_load_all(PATH.read_text(encoding="utf-8")))
    found = mistakes_of(documents)
    changes = (lambda spec, roles: spec.update(slots=1), lambda spec, roles: roles["Launcher"].update(replicas=2),
               lambda spec, roles: roles["Worker"].update(restartPolicy="Always"), lambda spec, roles: roles["Worker"]["template"]["spec"].pop("containers"),
               lambda spec, roles: roles["Launcher"]["template"]["spec"]["volumes"].pop(0), lambda spec, roles: spec["runPolicy"].update(cleanPodPolicy="Some"),
               lambda spec, roles: roles["Launcher"]["template"]["spec"]["containers"][0]["args"].remove("mpirun"))
    found += [f"mistake {i} is not found" for i, change in enumerate(changes, 1) if not mistakes_of(spoiled(documents, change))]
    if found:
        sys.exit("\n".join(f"{PATH.name}: {line}" for line in found))


if __name__ == "__main__":
    main()
