import type { CaptionClassification } from '../../contract/captions/caption-executor.ts';
import { type FlagTable, type GivenFlags, single, toggle } from './flags.ts';
import { StartError } from './start-error.ts';

/** The flags that choose who makes captions. */
export const captionFlags: FlagTable = {
  'caption-executor': single(
    'NAME',
    'recorded',
    "the caption executor: recorded never has captions of a new study, embedded-subtitles takes them from the media's own subtitle tracks, recognized from what was recognised of its speech, deterministic-test writes fixed texts for tests of clients",
  ),
  'allow-deterministic-caption-test-seam': toggle(
    'allows --caption-executor deterministic-test, and must stand with it',
  ),
  'allow-embedded-subtitle-captions': toggle(
    'allows --caption-executor embedded-subtitles, and must stand with it; no model, no network',
  ),
  'allow-recognized-captions': toggle(
    'allows --caption-executor recognized, and must stand with it: words that a recogniser wrote become captions; studies have some where --semantic-recognizer was given',
  ),
};

interface CaptionChoice {
  readonly classification: CaptionClassification;
  /** The switch without which a host does not start with this executor; null for the default. */
  readonly permission: string | null;
  /** How the line on stdout names it. */
  readonly announced: string;
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
  recognized: {
    classification: 'recognised_transcript',
    permission: 'allow-recognized-captions',
    announced: 'recognised-transcript-same-language',
  },
};

/**
 * Who makes captions on a host. Throws `StartError` for one that is not known or was not allowed, and for leave that is
 * given to one that was not chosen.
 */
export function captionExecutor(given: GivenFlags): CaptionChoice {
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
  return choice;
}
