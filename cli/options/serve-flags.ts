import { longestCaptions } from '../../contract/captions/long-captions.ts';
import { captionFlags } from './caption-executor.ts';
import { defaultDataRootWords } from './default-data-root.ts';
import { type FlagTable, repeated, single } from './flags.ts';
import { explainerFlags } from './language-explainer.ts';
import { recognizerFlags, responseFormatFlag, secondRunFlag } from './recognizer.ts';
import { screenTextFlags } from './screen-text.ts';
import { videohostFlags } from './videohost-flags.ts';
import { workQueueFlags } from './work-queue.ts';

/** Every flag of the host. */
export const serveFlags: FlagTable = {
  host: single('ADDRESS', '127.0.0.1', '127.0.0.1, ::1 or localhost; there is no way to listen on anything else'),
  port: single('PORT', '4312', '0 takes a free one; the line on stdout says which'),
  'allowed-origin': repeated(
    'ORIGIN',
    'http://127.0.0.1:4321 and http://localhost:4321',
    "a web origin that may call the host, exactly as browsers send it; the host's own origins always may",
  ),
  'data-root': single(
    'DIR',
    defaultDataRootWords,
    'where everything durable lies: a new or an empty folder, or one that a host has used; one host at a time, mode 0700',
  ),
  settings: single(
    'FILE',
    'settings.json in the data root, if it is there',
    'a file with settings: the names of these options with their values, as JSON with comments; an option that is given wins',
  ),
  'source-directory': repeated('DIR', null, 'a sealed source folder, read in place beside the sample'),
  'source-root': single('DIR', null, 'a folder in which every --source-directory must lie'),
  'token-file': single(
    'FILE',
    null,
    'keeps the bearer token across starts: 64 hex digits, mode 0600; written when it is not there',
  ),
  'maximum-owned-media-bytes': single(
    'BYTES',
    '8589934592',
    'largest file that an ingest may declare; the volume of the data root must have room for it and 256 MiB more',
  ),
  'maximum-videohost-local-range-ms': single('MS', '120000', 'longest range of a video that an ingest may ask for'),
  ...videohostFlags,
  'videohost-workers': single('NUMBER', '1', 'ranges that are fetched at once'),
  'maximum-study-range-ms': single('MS', '600000', 'longest range of a study'),
  'forecast-estimator': single(
    'NAME',
    'deterministic-floor',
    'deterministic-floor: plans state the least work; host-calibrated: also the time that it is expected to take, by finished operations of this host, once there are five like them',
  ),
  'study-workers': single(
    'NUMBER',
    'the number of cores',
    'studies that run at once, and probes beside them; the rest waits in order',
  ),
  'maximum-live-studies': single('NUMBER', '1000', 'studies that may run and wait at once; more are refused with 429'),
  'reviewer-id': single('ID', 'reviewer:local-operator', 'the one reviewer of this host'),
  'reviewer-label': single('TEXT', 'Local review operator', "that reviewer's name for people"),
  'http-adapter': single('NAME', 'auto', 'auto, uws or node'),
  'log-format': single(
    'NAME',
    'text',
    'text or json: what the host says on stderr, as lines or as one JSON document a line',
  ),
  'model-server': single(
    'URL',
    'OPENAI_BASE_URL of the environment',
    'the server behind the interface of OpenAI that executors with a model ask, such as http://127.0.0.1:11434/v1; its key is OPENAI_API_KEY of the environment',
  ),
  executor: single('NAME', 'deterministic', 'deterministic; no other value yet'),
  ...workQueueFlags,
  ...captionFlags,
  'maximum-caption-range-ms': single(
    'MS',
    '120000',
    'longest study that captions are made of, from 120000 up to 14400000',
  ),
  'maximum-caption-lines': single(
    'NUMBER',
    '64',
    `most lines of captions, from 64 up to ${longestCaptions.maxLines}; every 64 lines may take the time and have the text that 64 have without this option`,
  ),
  ...recognizerFlags,
  ...responseFormatFlag,
  ...secondRunFlag,
  ...screenTextFlags,
  ...explainerFlags,
};
