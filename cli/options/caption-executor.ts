import type { HostOptions } from '../../actors/host-types.ts';
import type { CaptionClassification } from '../../contract/captions/caption-executor.ts';
import { type FlagTable, type GivenFlags, single, toggle } from './flags.ts';
import { askedOf, modelNamed, providerOf } from './model-server.ts';
import { StartError } from './start-error.ts';

const modelFlag = 'caption-translation-model';
const onceFlag = 'caption-translation-asked-once';

/** The flags that choose who makes captions. */
export const captionFlags: FlagTable = {
  'caption-executor': single(
    'NAME',
    'recorded',
    "the caption executor: recorded never has captions of a new study, embedded-subtitles takes them from the media's own subtitle tracks, grouped-subtitles from tracks that split their sentences differently, recognized from what was recognised of its speech, recognized-translated from that and a model that translates, deterministic-test writes fixed texts for tests of clients",
  ),
  'allow-deterministic-caption-test-seam': toggle(
    'allows --caption-executor deterministic-test, and must stand with it',
  ),
  'allow-embedded-subtitle-captions': toggle(
    'allows --caption-executor embedded-subtitles or grouped-subtitles, and must stand with one of them; no model, no network',
  ),
  'allow-recognized-captions': toggle(
    'allows --caption-executor recognized, and must stand with it: words that a recogniser wrote become captions; studies have some where --semantic-recognizer was given',
  ),
  'allow-real-caption-production': toggle(
    'allows --caption-executor recognized-translated, and must stand with it; recognised text may leave this machine, and answers may cost money',
  ),
  [modelFlag]: single(
    'NAME',
    null,
    'the model that translates, as its server names it; must stand with --caption-executor recognized-translated',
  ),
  [onceFlag]: toggle(
    'asks the model for each line once, which takes less than half of the tokens; lines that it exchanged or merged with others may then pass; must stand with --caption-executor recognized-translated',
  ),
};

interface CaptionChoice {
  readonly classification: CaptionClassification;
  /** The switch without which a host does not start with this executor; null for the default. */
  readonly permission: string | null;
  /** How the line on stdout names it. */
  readonly announced: string;
}

/** Who makes captions on a host, and the model that translates; null where there is none. */
export interface ChosenCaptions extends CaptionChoice {
  readonly model: string | null;
  /** Whether it is asked for each line once, and not a second time for comparison. */
  readonly isAskedOnce: boolean;
}

/** Every value of `--caption-executor`, the default first. */
const choices: Readonly<Record<string, CaptionChoice>> = {
  recorded: {
    classification: 'recorded_real_pipeline_fixture',
    permission: null,
    announced: 'recorded-real-pipeline-fixture-adapter',
  },
  'deterministic-test': {
    classification: 'deterministic_current_run_test_seam',
    permission: 'allow-deterministic-caption-test-seam',
    announced: 'deterministic-current-run-test-seam-no-cognition',
  },
  'embedded-subtitles': {
    classification: 'embedded_subtitle_tracks',
    permission: 'allow-embedded-subtitle-captions',
    announced: 'embedded-subtitle-tracks-no-model',
  },
  'grouped-subtitles': {
    classification: 'grouped_subtitle_tracks',
    permission: 'allow-embedded-subtitle-captions',
    announced: 'grouped-subtitle-tracks-no-model',
  },
  recognized: {
    classification: 'recognised_transcript',
    permission: 'allow-recognized-captions',
    announced: 'recognised-transcript-same-language',
  },
  'recognized-translated': {
    classification: 'recognised_transcript_translated',
    permission: 'allow-real-caption-production',
    announced: 'recognised-transcript-translator-opt-in',
  },
};

/**
 * Who makes captions on a host. Throws `StartError` for one that is not known or was not allowed, and for leave that is
 * given to one that was not chosen.
 */
export function captionExecutor(given: GivenFlags): ChosenCaptions {
  const name = given.single('caption-executor') ?? 'recorded';
  const choice = Object.hasOwn(choices, name) ? choices[name] : undefined;
  if (choice === undefined) {
    throw new StartError('invalid_flags', `--caption-executor ${name}: one of ${Object.keys(choices).join(', ')}`);
  }
  if (choice.permission !== null && !given.has(choice.permission)) {
    throw new StartError('executor_not_allowed', `--caption-executor ${name} needs --${choice.permission}`);
  }
  for (const [other, { permission }] of Object.entries(choices)) {
    if (permission === null || permission === choice.permission || !given.has(permission)) continue;
    throw new StartError('executor_not_allowed', `--${permission} needs --caption-executor ${other}`);
  }
  const isAskedOnce = given.has(onceFlag);
  const model = modelOf(choice, given.single(modelFlag));
  if (isAskedOnce && model === null) {
    throw new StartError('executor_not_allowed', `--${onceFlag} needs --caption-executor recognized-translated`);
  }
  return { ...choice, model, isAskedOnce };
}

function modelOf({ classification }: CaptionChoice, model: string | undefined): string | null {
  const translates = classification === 'recognised_transcript_translated';
  const pair = `--caption-executor recognized-translated`;
  if (translates && model === undefined) throw new StartError('executor_not_allowed', `${pair} needs --${modelFlag}`);
  if (model === undefined) return null;
  if (!translates) throw new StartError('executor_not_allowed', `--${modelFlag} needs ${pair}`);
  return modelNamed(modelFlag, model);
}

/** The translator with the server that the environment names. Throws `StartError`, never with the key or the address in it. */
export function translatorOf(
  { model, isAskedOnce }: ChosenCaptions,
  environment: Readonly<Record<string, string | undefined>>,
): HostOptions['translator'] {
  if (model === null) return null;
  return { provider: providerOf(environment, 'invalid_translation_provider'), model, isAskedOnce };
}

/** What people have to know of a host that translates. */
export function translatorNotice({ provider, model }: NonNullable<HostOptions['translator']>): string {
  return `caption translation: ${askedOf(model, provider, 'recognised text leaves it with every production of captions')}`;
}
