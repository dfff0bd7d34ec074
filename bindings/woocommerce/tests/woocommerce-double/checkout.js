// Updates the order review as the classic checkout does: after a change of an address field, and on `update_checkout`.
jQuery(($) => {
  let latest;
  const update = () => {
    latest?.abort();
    latest = $.post(wc_checkout_params.ajax_url, {
      action: "woocommerce_update_order_review",
      security: wc_checkout_params.nonce,
      payment_method: $("input[name=payment_method]:checked").val(),
      post_data: $("form.checkout").serialize(),
    }).done((html) => {
      $("#order_review").replaceWith(html);
      $(document.body).attr("data-updates", Number($(document.body).attr("data-updates") ?? 0) + 1);
    });
  };
  $(document.body).on("change", ".address-field input, .address-field select", update);
  $(document.body).on("update_checkout", update);
  update();
});
