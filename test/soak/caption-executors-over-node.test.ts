import { captionExecutorsContract } from '../http/caption-executors-contract.ts';

captionExecutorsContract('node');
