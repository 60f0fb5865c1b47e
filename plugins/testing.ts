export { bootKernel, type BootOptions, type CapturedUi, capturedUi, type FakeClock, fakeClock, type TestKernel } from '../kernel/testing.ts';
