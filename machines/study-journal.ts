import type { EventType } from '../contract/journal.ts';

/** What the steps of a study add to its journal, in order. */
export const studyJournal = {
  opened: [
    'artifact.recorded',
    'task.created',
    'task.launch_claimed',
    'agent.registered',
    'task.transitioned',
    'executor.started',
  ],
  measured: ['artifact.recorded', 'media.operation_completed'],
  recognized: ['artifact.recorded', 'semantic.evidence_completed'],
  readOnScreen: ['artifact.recorded', 'screen.text_completed'],
  read: ['evidence.read_started', 'evidence.read_completed'],
  assessed: ['analysis.evidence.assessment_started', 'artifact.recorded', 'analysis.evidence.assessment_completed'],
  decided: ['analysis.evidence.decision_started', 'artifact.recorded', 'analysis.evidence.decision_completed'],
  admitted: [
    'artifact.recorded',
    'executor.finished',
    'artifact.recorded',
    'publish.review.intake_started',
    'artifact.recorded',
    'publish.review.intake_completed',
    'task.transitioned',
  ],
} as const satisfies Readonly<Record<string, readonly EventType[]>>;
