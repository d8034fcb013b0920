import test from 'ava';
import { StudyHost } from '../../client/study-host.ts';

const review = { state: 'approved_for_caption_production', reviewId: 'review' };
const ofRuntime = (path: string) => `/v1/runtimes/runtime%3Aa/${path}`;

test('what a model works on is waited for, however long it takes', async (t) => {
  const waitedFor: string[] = [];
  const host = StudyHost.connect(
    { baseUrl: 'http://127.0.0.1:1', token: 'token' },
    {
      fetch: async (url) => Response.json(String(url).includes('review') ? { reviews: [review] } : { captions: [{}] }),
      patientFetch: async (url, { method }) => {
        waitedFor.push(`${method} ${new URL(url).pathname}`);
        return Response.json({});
      },
    },
  );
  await host.captions.produce('runtime:a');
  await host.captions.explain('runtime:a', {} as Parameters<typeof host.captions.explain>[1]);
  t.deepEqual(waitedFor, [`POST ${ofRuntime('caption-productions')}`, `POST ${ofRuntime('language-explanations')}`]);
});
