/**
 * The stages of a study, and the later acts of people and the host on its result, in their order. The chart of a study, the
 * events of its journal, its grants, its progress, and the words that people read all come from this table. `receipts/stages` has
 * the events and records of a stage, in one file for each; `actors/` carries it out.
 */

/** How many operations a grant allows: a number, or the bound of the reading allowance that has this name. */
type GrantedOperations = 1 | 'maxReads' | 'maxAuditedAssessments';

interface StudyStage {
  /** The work of the stage, as people read it while it runs. */
  readonly words: string;
  /** One sentence for the drawing of the chart. */
  readonly description: string;
  /** The capability that the task of the study is granted for it; null for what the host does itself. */
  readonly grant: { readonly capability: string; readonly operations: GrantedOperations } | null;
  /**
   * The condition under which a study has this stage; null for a stage of every study. `guard` is its name in the chart. A
   * `grant` is given when the study is accepted, and `idField` is the field of the study's row with its id. A `result` is the
   * finding of the stage before: without it, that stage leaves nothing in the journal.
   */
  readonly condition:
    | { readonly by: 'grant'; readonly guard: string; readonly idField: string }
    | { readonly by: 'result'; readonly guard: string }
    | null;
  /** Types of the events that the journal holds before the work of the stage begins, and of those that its result adds. */
  readonly journal: { readonly begins: readonly string[]; readonly ends: readonly string[] };
  /** The links of the chain of evidence that a verification reports for this stage. */
  readonly links: readonly string[];
}

/** The stages of a study, from the first event of its journal to the last. */
export const studyStages = {
  initialize: {
    words: 'opening the source',
    description: 'The host verifies the source, warms the detector and opens the journal.',
    grant: null,
    condition: null,
    journal: {
      begins: [],
      ends: [
        'artifact.recorded',
        'task.created',
        'task.launch_claimed',
        'agent.registered',
        'task.transitioned',
        'executor.started',
      ],
    },
    links: ['opening'],
  },
  detect: {
    words: 'measuring sound and picture',
    description: 'One decode pass measures speech, silence, loudness and shot changes, and ends with all of them.',
    grant: { capability: 'media.detect', operations: 1 },
    condition: null,
    journal: { begins: ['media.operation_started'], ends: ['artifact.recorded', 'media.operation_completed'] },
    links: ['media_operation', 'evidence'],
  },
  subtitles: {
    words: 'reading subtitles',
    description: 'The host reads the embedded text tracks and identifies their languages.',
    grant: { capability: 'media.subtitles', operations: 1 },
    condition: null,
    journal: { begins: ['media.operation_started'], ends: ['artifact.recorded', 'media.operation_completed'] },
    links: ['media_operation', 'evidence'],
  },
  recognize: {
    words: 'recognizing speech',
    description:
      'A recognizer transcribes the detected speech, region by region, and gates judge its lines; only on a host with one.',
    grant: { capability: 'semantic.recognize', operations: 1 },
    condition: { by: 'grant', guard: 'recognizes', idField: 'recognitionGrantId' },
    journal: { begins: ['semantic.evidence_started'], ends: ['artifact.recorded', 'semantic.evidence_completed'] },
    links: ['recognition'],
  },
  readScreen: {
    words: 'reading text on the screen',
    description:
      'The text on the screen is read from keyframes and sampled pictures, and gates judge it; only on a host with an engine for it.',
    grant: { capability: 'screen.read', operations: 1 },
    condition: { by: 'grant', guard: 'readsScreen', idField: 'screenTextGrantId' },
    journal: { begins: ['screen.text_started'], ends: ['artifact.recorded', 'screen.text_completed'] },
    links: ['screen_text'],
  },
  read: {
    words: 'reading the evidence',
    description: 'The host reads the evidence in windows and writes a receipt of each.',
    grant: { capability: 'evidence.read', operations: 'maxReads' },
    condition: null,
    journal: { begins: [], ends: ['evidence.read_started', 'evidence.read_completed'] },
    links: ['read'],
  },
  assess: {
    words: 'assessing what was read',
    description: 'The host makes claims of what was read, each with its citations.',
    grant: { capability: 'analysis.evidence.assess', operations: 'maxAuditedAssessments' },
    condition: null,
    journal: {
      begins: [],
      ends: ['analysis.evidence.assessment_started', 'artifact.recorded', 'analysis.evidence.assessment_completed'],
    },
    links: ['assessment'],
  },
  decide: {
    words: 'deciding',
    description: 'The host decides whether every claim is supported.',
    grant: { capability: 'analysis.evidence.decide', operations: 1 },
    condition: { by: 'result', guard: 'hasClaims' },
    journal: {
      begins: [],
      ends: ['analysis.evidence.decision_started', 'artifact.recorded', 'analysis.evidence.decision_completed'],
    },
    links: ['decision'],
  },
  admit: {
    words: 'writing the study down',
    description: 'The host writes the study record, ends the execution and admits the study to the review queue.',
    grant: null,
    condition: null,
    journal: {
      begins: [],
      ends: [
        'artifact.recorded',
        'executor.finished',
        'artifact.recorded',
        'publish.review.intake_started',
        'artifact.recorded',
        'publish.review.intake_completed',
        'task.transitioned',
      ],
    },
    links: ['study_record', 'execution', 'readiness', 'intake'],
  },
} as const satisfies Readonly<Record<string, StudyStage>>;

type Stages = typeof studyStages;

export type StageName = keyof Stages;

/** In their order. */
export const stageNames = Object.keys(studyStages) as readonly StageName[];

/** How far the journal of a study has come: the last stage that left something in it, or `end` for whatever ended the study. */
export type StudyStep = Exclude<StageName, 'admit'> | 'end';

/** In their order. */
export const studySteps = stageNames.map((name): StudyStep => (name === 'admit' ? 'end' : name));

type StageWith<Condition> = {
  [Name in StageName]: Stages[Name]['condition'] extends Condition ? Name : never;
}[StageName];

/** A stage that a study has only with a grant for it. */
export type OptionalStage = StageWith<{ readonly by: 'grant' }>;

/** The field of a study's ids that holds the grant of an optional stage. */
export type OptionalGrantField = Stages[OptionalStage]['condition']['idField'];

/** True if a study has a stage only with a grant for it. */
export const isOptional = (name: StageName): name is OptionalStage => studyStages[name].condition?.by === 'grant';

/** In their order. */
export const optionalStages = stageNames.filter(isOptional);

type CapabilityOf<Name extends StageName> = Extract<
  Stages[Name]['grant'],
  { readonly capability: string }
>['capability'];

/** The capabilities that the task of every study has. */
export type StudyCapability = CapabilityOf<Exclude<StageName, OptionalStage>>;
type OptionalCapability = CapabilityOf<OptionalStage>;

/** Everything that the task of every study is granted to do; each operation of a run uses exactly one of these. */
export const capabilities = stageNames.flatMap((name) => {
  const { grant } = studyStages[name];
  return grant === null || isOptional(name) ? [] : [grant.capability];
}) as StudyCapability[];

/** The further capabilities of a task for each optional stage of its study. */
export const optionalCapabilities: readonly OptionalCapability[] = optionalStages.map(
  (name) => studyStages[name].grant.capability,
);

/** Every stage that may come directly after one: those with a condition, and the first without. Empty after the last. */
export function stagesAfter(name: StageName): readonly StageName[] {
  const later = stageNames.slice(stageNames.indexOf(name) + 1);
  const certain = later.findIndex((each) => studyStages[each].condition === null);
  return later.slice(0, certain + 1);
}

/** The journal entries of one act of a later stage: before it is done, by its result, or when it fails. */
interface LaterAct {
  readonly begins: readonly string[];
  readonly ends: readonly string[];
  readonly fails: readonly string[];
}

interface LaterStage {
  readonly acts: Readonly<Record<string, LaterAct>>;
  readonly links: readonly string[];
}

/** The acts on a study that has ended: each rests on those before it, and may come more than once. */
export const laterStages = {
  review: {
    acts: {
      decision: {
        begins: ['publish.review.decision_started'],
        ends: ['artifact.recorded', 'publish.review.decision_completed'],
        fails: ['publish.review.decision_failed'],
      },
      revocation: {
        begins: ['publish.review.revocation_started'],
        ends: ['artifact.recorded', 'publish.review.revocation_completed'],
        fails: ['publish.review.revocation_failed'],
      },
    },
    links: ['review', 'revocation'],
  },
  captionPlan: {
    acts: {
      approval: { begins: [], ends: ['artifact.recorded', 'publish.review.plan_recorded'], fails: [] },
    },
    links: ['caption_plan'],
  },
  captions: {
    acts: {
      production: {
        begins: ['caption.production_started'],
        ends: ['artifact.recorded', 'caption.production_completed'],
        fails: ['caption.production_failed'],
      },
      check: { begins: [], ends: ['artifact.recorded', 'caption.quality_control_decided'], fails: [] },
    },
    links: ['caption', 'caption_receipt', 'caption_translation', 'quality_control'],
  },
  correction: {
    acts: {
      correction: { begins: [], ends: ['artifact.recorded', 'caption.correction_recorded'], fails: [] },
      check: { begins: [], ends: ['artifact.recorded', 'caption.correction_checked'], fails: [] },
    },
    links: ['caption_correction', 'caption_correction_check'],
  },
  explanation: {
    acts: {
      explanation: {
        begins: ['language.explanation_started'],
        ends: ['artifact.recorded', 'language.explanation_completed'],
        fails: ['language.explanation_failed'],
      },
    },
    links: ['explanation', 'explanation_receipt', 'explanation_prompt', 'explanation_configuration'],
  },
} as const satisfies Readonly<Record<string, LaterStage>>;

export type LaterStageName = keyof typeof laterStages;

/** In their order. */
export const laterStageNames = Object.keys(laterStages) as readonly LaterStageName[];

/** The names under which a verification reports what stages left. */
export type StageLink = Stages[StageName]['links'][number] | (typeof laterStages)[LaterStageName]['links'][number];

/** The work of an ingest, stage by stage, as people read it; `queued` is for all work that waits for its turn. */
export const ingestStageWords = {
  upload: 'receiving the file',
  queued: 'waiting for its turn',
  resolve: 'looking up the video',
  download: 'fetching the range',
  probe: 'reading the media',
  seal: 'sealing the media',
} as const;

/** The words that people read for each stage of a piece of work. Here, where no schema is, so that a page has them without the schemas. */
export const stageWords: Readonly<Record<keyof typeof ingestStageWords | StageName | 'ended', string>> = {
  ...ingestStageWords,
  ...(Object.fromEntries(stageNames.map((name) => [name, studyStages[name].words])) as Record<StageName, string>),
  ended: 'ended',
};
