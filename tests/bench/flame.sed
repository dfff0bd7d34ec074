# Shortens the stacks of a flame graph: removes the frames of the runtime, generic parameters, and the frames outside of a request's steps.
# Each line is a stack and its count. The first expression moves the count to a frame of its own, so that the last frame can be removed.
s/ ([0-9]+)$/;#\1/
s/;\[unknown\]//g
s/\{\{(closure|vtable\.shim)\}\}//g
s/;entry_SYSCALL[^#]*/;kernel;/
s/;<?&?(mut )?<*(alloc|clone3|core|futures_util|hyper_util|mio|start_thread|std|scoped_tls|tokio|tokio_util|tokio_stream|tower[a-z_]*|tracing|warp|serde_core|opentelemetry[a-z_]*)[^;]*//g
s/<([^;<>]*)<[^;]*> as /<\1 as /g
s/::;/;/g
:outer
s/;(despacho_core::api::(handle_or_stream|outcome|handlers::run|handlers::once)|<despacho_core::api::boxed[^;]*);/;/
t outer
s/;#([0-9]+)$/ \1/
