import test from 'ava';
import { type CaptionPlan, captionPlanAnswer } from '../../contract/captions/caption-plan.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import { TestHost } from '../host/test-host.ts';
import { pathOf } from './captions/steps.ts';

const flags = ['--caption-executor=grouped-subtitles', '--allow-embedded-subtitle-captions'];

const chosenIn = ({ sides }: CaptionPlan) => [sides.source.choice?.chosen, sides.target.choice?.chosen];

test('a plan states where the lines come from, and its digest is that of all of it', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const { plan, digest } = host.granted(t, await host.get(path), 200, captionPlanAnswer);
  t.is(digest, contentIdOfJson(plan));
  t.like(plan, { method: 'grouped-subtitles', lines: { count: 3 }, obstacles: [] });
  t.like(chosenIn(plan), [
    { trackIndex: 2, tag: 'kor', language: 'ko', reason: 'only_track' },
    { trackIndex: 3, tag: 'eng', language: 'en', reason: 'only_track' },
  ]);
  const again = host.granted(t, await host.get(path), 200, captionPlanAnswer);
  t.is(again.digest, digest);
});

test('every choice is in the digest of a plan', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const queries = [
    '',
    '?from=ko',
    '?to=EN',
    '?method=auto',
    '?method=grouped-subtitles',
    '?track=2',
    '?track=2&track=3',
  ];
  const digests = new Set<string>();
  for (const query of queries) {
    digests.add(host.granted(t, await host.get(`${path}${query}`), 200, captionPlanAnswer).digest);
  }
  t.is(digests.size, queries.length);
  const list = host.granted(t, await host.get(`${path}?track=2,3`), 200, captionPlanAnswer);
  t.true(digests.has(list.digest), 'a list with commas is the same');
});

test('a track is that of the side in its language, else of the first side without one', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const tracksOf = async (query: string) => {
    const { plan } = host.granted(t, await host.get(`${path}?${query}`), 200, captionPlanAnswer);
    return chosenIn(plan).map((chosen) => `${chosen?.trackIndex} ${chosen?.reason}`);
  };
  t.deepEqual(await tracksOf('track=3'), ['2 only_track', '3 chosen_by_person']);
  t.deepEqual(await tracksOf('track=3&track=2'), ['2 chosen_by_person', '3 chosen_by_person']);
});

test('a choice that the study does not have is refused with a reason', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const refusals = [
    ['to=fr', /captions from ko to en: study the film again/],
    ['from=en', /captions from ko to en/],
    ['to=%3F', /to is the tag/],
    ['method=magic', /method is one of auto/],
    ['track=0', /track 0 is no text track of this study: it has 2, 3/],
    ['track=99', /no text track/],
    ['track=-1', /stream index/],
    ['track=', /stream index/],
    ['track=2&track=3&track=2', /another one for each side/],
    ['track=3&track=3', /another one for each side/],
  ] as const;
  for (const [query, reason] of refusals) {
    t.regex(host.refused(t, await host.get(`${path}?${query}`), 'invalid_caption_plan_request'), reason, query);
  }
  host.refused(t, await host.get(`${path}?tracks=2`), 'unknown_query');
  host.refused(t, await host.get(`${path}?to=en&to=en`), 'duplicate_query');
  host.refused(
    t,
    await host.get(pathOf('runtime:00000000-0000-4000-8000-000000000000', 'caption-plan')),
    'unknown_runtime',
  );
});

test('a plan by a method needs what a production by it needs', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  host.refused(t, await host.get(`${path}?method=recognized`), 'permission_required');
  host.refused(t, await host.get(`${path}?method=subtitles-translated`), 'engine_unavailable');
});

test('a host without a caption executor has a plan with this obstacle', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const { plan } = host.granted(t, await host.get(path), 200, captionPlanAnswer);
  t.like(plan, { method: null, lines: { count: 0 }, obstacles: [{ code: 'no_caption_executor' }] });
});
