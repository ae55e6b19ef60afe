from contextlib import closing

from ragtriage import Project, gate_against


def test_retrieval_is_no_worse_than_its_baseline() -> None:
    with closing(Project.open()) as project:
        gate = gate_against(project).gate
    assert gate.outcome == "ok", "\n".join(gate.sentences)
