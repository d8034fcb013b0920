import test from 'ava';
import { planWarnings } from '../../../contract/study/start.ts';
import { TestHost } from '../../host/test-host.ts';
import { approvedLife, captionFlags, captionsOf, openCaptioning } from '../../http/captions/steps.ts';
import { sampleRow, studyRequest } from '../../http/host/study-steps.ts';

test('captions without a method are as they were on a host with permissions', async (t) => {
  const executor = await openCaptioning(t, 'approved');
  const permitting = await TestHost.open(t, {
    life: 'approved',
    flags: [...captionFlags.embedded, '--permit-recognition', '--permit-test-seam'],
  });
  const [one, other] = [
    await captionsOf(t, executor, approvedLife(executor)),
    await captionsOf(t, permitting, approvedLife(permitting)),
  ];
  t.deepEqual(one, other);
});

const wish = { recognizer: 'pocketsphinx', language: 'en' } as const;

test('a plan and a start refuse a wish that the host may not or cannot fulfil, and warnings take it', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const asking = studyRequest(await sampleRow(t, host), { recognition: wish });
  for (const route of ['/v1/runtime-plans', '/v1/runtime-starts']) {
    host.refused(t, await host.post(route, asking), 'permission_required');
    for (const recognition of [
      {},
      { recognizer: 'vosk', language: null },
      { ...wish, language: 'English language' },
      1,
    ]) {
      host.refused(t, await host.post(route, { ...asking, recognition }), 'invalid_start_request');
    }
  }
  host.granted(t, await host.post('/v1/runtime-plan-warnings', asking), 200, planWarnings);
  await host.restart(['--permit-recognition']);
  host.refused(t, await host.post('/v1/runtime-starts', asking), 'engine_unavailable');
});
