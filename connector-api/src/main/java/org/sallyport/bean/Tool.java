package org.sallyport.bean;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a public method of a {@link Backend} a tool. Its parameters, except a {@link ToolContext}, are the members of
 * the arguments. It returns the result, or a {@link java.util.concurrent.CompletionStage} of it. It may block, and is
 * interrupted when the caller no longer waits for it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Tool {

    /** Description for authors and agents. */
    String value();

    /** Name of the tool. Default: the name of the method. */
    String name() default "";

    /** Whether the tool changes nothing. Its calls are not journaled before they are sent, and may be retried. */
    boolean readOnly() default false;

    /** Whether a repeated call has the effect of one call, so that it may be retried. */
    boolean idempotent() default false;

    /**
     * Whether the tool may destroy or send something irrevocably. People must approve each call first, unless a policy
     * says otherwise.
     */
    boolean destructive() default false;
}
