import test from 'ava';
import { serveOptions } from '../../cli/options/serve-options.ts';
import { choices, embedded, seam } from './caption-choices.ts';
import { complaintOf } from './configured-host.ts';

test('each executor of captions is chosen by its name and its permission', (t) => {
  for (const [flags, classification, announced] of choices) {
    t.like(serveOptions(flags).captionExecutor, { classification, announced });
  }
  const split = ['--allow-embedded-subtitle-captions', '--caption-executor=embedded-subtitles'];
  t.is(serveOptions(split).captionExecutor.classification, 'embedded_subtitle_tracks');
});

const codeOf = (flags: readonly string[]): string => complaintOf(() => serveOptions(flags));

test('an executor of captions needs its own permission, and the message names it', (t) => {
  const [seamPermission = '', embeddedPermission = ''] = [seam[2], embedded[2]];
  for (const [name, permission, other] of [
    ['deterministic-test', seamPermission, embeddedPermission],
    ['embedded-subtitles', embeddedPermission, seamPermission],
  ] as const) {
    for (const flags of [[`--caption-executor=${name}`], [`--caption-executor=${name}`, other]]) {
      const said = codeOf(flags);
      t.true(said.startsWith('2 executor_not_allowed: '), said);
      t.true(said.endsWith(`--caption-executor ${name} needs ${permission}`), said);
    }
    t.is(codeOf([`--caption-executor=${name}`, permission]), 'started');
  }
});

test('leave for an executor of captions that was not chosen is refused, and says whose it is', (t) => {
  const [seamPermission = '', embeddedPermission = ''] = [seam[2], embedded[2]];
  for (const [flags, permission, name] of [
    [[], seamPermission, 'deterministic-test'],
    [[], embeddedPermission, 'embedded-subtitles or grouped-subtitles'],
    [seam, embeddedPermission, 'embedded-subtitles or grouped-subtitles'],
    [embedded, seamPermission, 'deterministic-test'],
  ] as const) {
    const said = codeOf([...flags, permission]);
    t.true(said.startsWith('2 executor_not_allowed: '), said);
    t.true(said.endsWith(`${permission} needs --caption-executor ${name}`), said);
  }
});

test('an unknown executor of captions is refused, whatever was allowed', (t) => {
  for (const name of ['openai', '', 'Recorded', 'embedded', 'toString', '__proto__', 'constructor']) {
    const said = codeOf([`--caption-executor=${name}`, ...seam.slice(2), ...embedded.slice(2)]);
    t.true(said.startsWith('2 invalid_flags: '), `${name}: ${said}`);
  }
  t.regex(codeOf(['--caption-executor=openai']), /one of recorded, deterministic-test, embedded-subtitles/);
  t.regex(codeOf(['--caption-executor']), /^2 invalid_flags/);
  t.regex(codeOf([...seam, '--caption-executor=recorded']), /^2 invalid_flags/);
});
