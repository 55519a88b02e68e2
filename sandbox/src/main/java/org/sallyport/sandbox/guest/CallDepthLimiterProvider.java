package org.sallyport.sandbox.guest;

import com.oracle.truffle.api.instrumentation.TruffleInstrument;
import com.oracle.truffle.api.instrumentation.provider.TruffleInstrumentProvider;
import java.util.Collection;
import java.util.List;
import org.graalvm.polyglot.SandboxPolicy;

/** Makes {@link CallDepthLimiter} known to the engine, which finds this class as a service. */
@TruffleInstrument.Registration(
        id = CallDepthLimiter.ID,
        name = "Call depth limiter",
        sandbox = SandboxPolicy.UNTRUSTED,
        services = CallDepthLimiter.class)
public final class CallDepthLimiterProvider extends TruffleInstrumentProvider {
    @Override
    protected String getInstrumentClassName() {
        return CallDepthLimiter.class.getName();
    }

    @Override
    protected Object create() {
        return new CallDepthLimiter();
    }

    @Override
    protected Collection<String> getServicesClassNames() {
        return List.of(CallDepthLimiter.class.getName());
    }
}
