import { isTranslating } from '../receipts/captions/allowance.ts';
import { captionMeans } from '../receipts/captions/methods.ts';
import type { CaptionMeans } from '../receipts/captions/prospect.ts';
import { StartError } from './failures.ts';
import { type FlagTable, type GivenFlags, oneOf, toggle, valuesOf } from './flags.ts';
import { option, type StartText, worded } from './start-text.ts';

export const captionExecutorFlag = 'caption-executor';
const captions = { setting: { room: 'captions', change: 'at_once', isGrouped: true } } as const;

interface CaptionChoice extends CaptionMeans {
  /** The switch without which a host does not start with this executor; null for the default. */
  readonly permission: string | null;
  /** How the line on stdout names it. */
  readonly announced: string;
  /** Where its captions come from. */
  readonly help: string;
}

/** The caption executor of a host. */
interface ChosenCaptions extends Omit<CaptionChoice, 'help'> {
  readonly name: CaptionExecutorName;
}

/** Every value of `--caption-executor`, the default first. */
const choices = {
  recorded: {
    classification: 'recorded_real_pipeline_fixture',
    permission: null,
    announced: 'recorded-real-pipeline-fixture-adapter',
    help: 'none for new studies',
  },
  'deterministic-test': {
    ...captionMeans['deterministic-test'],
    permission: 'allow-deterministic-caption-test-seam',
    announced: 'deterministic-current-run-test-seam-no-cognition',
    help: 'fixed texts, for tests of clients',
  },
  'embedded-subtitles': {
    ...captionMeans['embedded-subtitles'],
    permission: 'allow-embedded-subtitle-captions',
    announced: 'embedded-subtitle-tracks-no-model',
    help: 'the subtitle tracks of the media',
  },
  'grouped-subtitles': {
    ...captionMeans['grouped-subtitles'],
    permission: 'allow-embedded-subtitle-captions',
    announced: 'grouped-subtitle-tracks-no-model',
    help: 'the same, also if the tracks split their sentences differently',
  },
  'subtitles-translated': {
    ...captionMeans['subtitles-translated'],
    permission: 'allow-real-caption-production',
    announced: 'subtitle-tracks-translator-opt-in',
    help: 'the same, with a model that translates if no track is in the target language',
  },
  recognized: {
    ...captionMeans.recognized,
    permission: 'allow-recognized-captions',
    announced: 'recognised-transcript-same-language',
    help: 'recognized speech',
  },
  'subtitles-or-recognized': {
    ...captionMeans['subtitles-or-recognized'],
    permission: 'allow-recognized-captions',
    announced: 'subtitle-tracks-or-recognised-transcript',
    help: 'subtitle tracks that give lines in both languages, otherwise recognized speech',
  },
  'recognized-translated': {
    ...captionMeans['recognized-translated'],
    permission: 'allow-real-caption-production',
    announced: 'recognised-transcript-translator-opt-in',
    help: 'recognized speech, with a model that translates it',
  },
} as const satisfies Readonly<Record<string, CaptionChoice>>;

export type CaptionExecutorName = keyof typeof choices;

const executorNames = Object.keys(choices) as [CaptionExecutorName, ...CaptionExecutorName[]];

/** The executors for which a condition holds, as a call of the host chooses one of them. */
const callOf = (isOne: (choice: CaptionChoice) => boolean): StartText =>
  worded`${option(captionExecutorFlag)} ${executorNames.filter((name) => isOne(choices[name])).join(' or ')}`;

const allowedBy = (permission: string): StartText => callOf((choice) => choice.permission === permission);

/** The executors that need a translator, as a call of the host chooses one of them. */
export const translatingExecutors = callOf(isTranslating);

/** The switch that allows an executor, with what its use means. */
const executorPermission = (
  permission: NonNullable<(typeof choices)[CaptionExecutorName]['permission']>,
  meaning = '',
) => {
  const allowed = allowedBy(permission);
  const isOne = Object.values(choices).filter((choice) => choice.permission === permission).length === 1;
  const those = isOne ? 'it' : 'one of them';
  return { [permission]: { ...captions, ...toggle(`allows ${allowed}, and requires ${those}${meaning}`) } };
};

/** The flags that choose who makes captions. */
export const captionFlags = {
  [captionExecutorFlag]: {
    setting: { ...captions.setting, role: 'choice' },
    ...oneOf(
      'NAME',
      executorNames,
      `where captions come from. ${executorNames.map((name) => `${name}: ${choices[name].help}`).join('; ')}`,
    ),
  },
  ...executorPermission('allow-deterministic-caption-test-seam'),
  ...executorPermission('allow-embedded-subtitle-captions', '; no model, no network'),
  ...executorPermission(
    'allow-recognized-captions',
    ': words of a recognizer become captions; the studies of a host with a recognizer have them',
  ),
  ...executorPermission(
    'allow-real-caption-production',
    '; the text may leave this machine, and answers may cost money',
  ),
} satisfies FlagTable;

/**
 * The caption executor of a host. Throws `StartError` for one that is unknown or not allowed, and for a permission without its
 * executor.
 */
export function chosenCaptionExecutor(given: GivenFlags): ChosenCaptions {
  const { [captionExecutorFlag]: name } = valuesOf(given, captionFlags);
  const { help: _, ...choice }: CaptionChoice = choices[name];
  if (choice.permission !== null && !given.has(choice.permission)) {
    throw notAllowed(worded`${option(captionExecutorFlag)} ${name} needs ${option(choice.permission)}`);
  }
  for (const { permission } of Object.values(choices)) {
    if (permission === null || permission === choice.permission || !given.has(permission)) continue;
    throw notAllowed(worded`${option(permission)} needs ${allowedBy(permission)}`);
  }
  return { name, ...choice };
}

const notAllowed = (message: StartText) => new StartError('executor_not_allowed', message);
