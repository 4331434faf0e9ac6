"""The packages that a Stoa runs on, from its lock, as a CycloneDX list."""

import re
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

_PIN = re.compile(r"^(?P<name>[a-z0-9.-]+)==(?P<version>[^ ]+)(?P<marker> ; [^\\]+)?")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def of_locks(locks: str, version: str, epoch: int) -> str:
    """The list as JSON; the same lock gives the same bytes."""
    from cyclonedx.model import Property
    from cyclonedx.model.bom import Bom, BomMetaData
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output.json import JsonV1Dot6
    from packageurl import PackageURL

    def component(name: str, number: str, kind: ComponentType) -> Component:
        purl = PackageURL("pypi", None, name, number)
        return Component(name=name, version=number, type=kind, purl=purl, bom_ref=purl.to_string())

    stoa = component("stoa-network", version, ComponentType.APPLICATION)
    parts: list[Component] = []
    for line in locks.splitlines():
        if pin := _PIN.match(line):
            part = component(pin["name"], pin["version"], ComponentType.LIBRARY)
            if pin["marker"]:
                part.properties.add(Property(name="python:marker", value=pin["marker"][3:].strip()))
            parts.append(part)
        elif found := _HASH.search(line):
            # A hash for each file of the package, of which a platform takes one.
            parts[-1].properties.add(Property(name="python:sha256", value=found[1]))
    made = datetime.fromtimestamp(epoch, UTC)
    bom = Bom(
        components=parts,
        metadata=BomMetaData(component=stoa, timestamp=made),
        serial_number=uuid5(NAMESPACE_URL, f"stoa-network=={version}@{epoch}"),
    )
    bom.register_dependency(stoa, parts)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"
